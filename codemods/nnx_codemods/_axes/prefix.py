"""Prefix filters: `StateAxes` and `StateSharding` read from the options of a transform."""

from __future__ import annotations

import ast
import dataclasses
from typing import Literal

from nnx_codemods._axes.refusal import AxisCause
from nnx_migrate.analysis.domain.containers import any_leaf
from nnx_migrate.analysis.domain.values import (
    Basic,
    ContainerValue,
    Instance,
    Values,
)
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.sites.prefix_filters import filters_travel
from nnx_migrate.core.refusal import Reason
from nnx_migrate.rewrite.model.context import FileContext

AxisKind = Literal["place", "none", "carry", "unknown"]


@dataclasses.dataclass(frozen=True, slots=True)
class Group:
    """One entry of a prefix filter: what it selects, and the axis or sharding that it gets.

    Args:
        filter: source text.
        axis: source text.
        kind: "place" for an axis number or a sharding, "none" for None, "carry" for nnx.Carry.
    """

    filter: str
    axis: str
    kind: AxisKind


@dataclasses.dataclass(frozen=True, slots=True)
class Element:
    """One element of in_axes or the like.

    Args:
        text: its source text.
        groups: the entries of the prefix filter that it is; empty for anything else.
    """

    text: str
    groups: tuple[Group, ...] = ()

    @property
    def uniform(self) -> Group | None:
        """The group that stands for all of them, when all leaves get the same axis."""
        first = self.groups[0] if self.groups else None
        same = all(first is not None and g.axis == first.axis for g in self.groups)
        return first if same and self.groups[-1:] and self.groups[-1].filter == "..." else None


@dataclasses.dataclass(frozen=True, slots=True)
class Axes:
    """An option that gives axes.

    Args:
        elements: one per argument (or result); one alone when the option is not a tuple.
        is_tuple: whether the option is a tuple.
        names: names that the prefix filters are bound to.
        unknown: why it cannot be read although a prefix filter may be in it.
    """

    elements: tuple[Element, ...] = ()
    is_tuple: bool = False
    names: tuple[str, ...] = ()
    unknown: Reason = ""

    @property
    def has_groups(self) -> bool:
        return any(element.groups for element in self.elements)


def read_axes(context: FileContext, option: ast.expr | None, class_name: str) -> Axes:
    """Read an option; what is neither literal nor bound to something literal is unknown."""
    if option is None:
        return Axes()
    reader = _Reader(context, class_name)
    node = reader.follow_tuple(option)
    if isinstance(node, ast.Tuple):
        if any(isinstance(e, ast.Starred) for e in node.elts):
            return reader.not_literal(option)
        elements = tuple(reader.element(e) for e in node.elts)
        axes = Axes(elements, True, tuple(reader.names), reader.unknown)
    else:
        axes = Axes((reader.element(node),), False, tuple(reader.names), reader.unknown)
    return axes


class _Reader:
    def __init__(self, context: FileContext, class_name: str) -> None:
        self.context = context
        self.class_name = class_name
        self.names: list[str] = []
        self.unknown: Reason = ""

    def follow_tuple(self, node: ast.expr) -> ast.expr:
        """A name bound once to a tuple display stands for it."""
        if isinstance(node, ast.Name):
            found = self.context.tree.assigned_value(self.context.tree.scope(node), node.id)
            is_tuple = found is not None and isinstance(found[0], ast.Tuple)
            if found is not None and is_tuple and self.may_be_filter(self.context.values(node)):
                if not _means_the_same(self.context, found[0], node):
                    return node
                self.names.append(node.id)
                return found[0]
        return node

    def element(self, node: ast.expr) -> Element:
        text = self.context.text.of(node)
        target, names = self.filter_call(node)
        if target is not None:
            groups = self.groups(target)
            self.names += names
            return Element(text, groups)
        if not _is_literal_axis(node) and self.may_be_filter(self.context.values(node)):
            reason = AxisCause.BUILT_ELSEWHERE.about(text=text)
            self.unknown = self.unknown or reason
        return Element(text)

    def filter_call(self, node: ast.expr) -> tuple[ast.Call | None, list[str]]:
        names: list[str] = []
        seen: set[ast.expr] = set()
        while node not in seen:
            seen.add(node)
            if isinstance(node, ast.Call):
                named = self.context.tree.nnx_name(node.func)
                return (node, names) if named == self.class_name else (None, [])
            if not isinstance(node, ast.Name):
                return None, []
            value = self.context.reaching.expression(node)
            if value is None:
                value = self.context.tree.assigned_alike(self.context.tree.scope(node), node.id)
            if value is None or not _means_the_same(self.context, value, node):
                return None, []
            names.append(node.id)
            node = value
        return None, []

    def groups(self, call: ast.Call) -> tuple[Group, ...]:
        argument = call.args[0] if len(call.args) == 1 and not call.keywords else None
        if isinstance(argument, ast.Name):
            found = self.context.tree.assigned_value(self.context.tree.scope(argument), argument.id)
            if found is not None and _means_the_same(self.context, found[0], argument):
                argument = found[0]
        if not isinstance(argument, ast.Dict) or None in argument.keys or not argument.keys:
            self.unknown = AxisCause.FILTERS_HIDDEN.about(class_name=self.class_name)
            return ()
        groups = []
        for key, value in zip(argument.keys, argument.values, strict=True):
            assert key is not None
            groups.append(
                Group(self.filter_text(key), self.context.text.of(value), self.kind(value))
            )
        if any(group.filter == "..." for group in groups[:-1]):
            self.unknown = AxisCause.FILTERS_GO_ON.about(class_name=self.class_name)
        return tuple(groups)

    def filter_text(self, node: ast.expr) -> str:
        return self.context.text.of(node)

    def kind(self, node: ast.expr) -> AxisKind:
        if isinstance(node, ast.Constant):
            return "none" if node.value is None else "place"
        if isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant):
            return "place"
        if self.context.tree.nnx_name(node) == "Carry":
            return "carry"
        if self.class_name == "StateSharding" or is_declared_int(self.context, node):
            return "place"
        return "unknown"

    def not_literal(self, option: ast.expr) -> Axes:
        if self.may_be_filter(self.context.values(option)):
            text = self.context.text.of(option)
            return Axes(unknown=AxisCause.BUILT_ELSEWHERE.about(text=text))
        return Axes()

    def may_be_filter(self, values: Values) -> bool:
        """Whether values hold the prefix filter, or may when the project makes any."""
        name = f"flax.nnx.{self.class_name}"
        if any_leaf(values, lambda v: isinstance(v, Instance) and v.class_name == name):
            return True
        unknown = not values or any(isinstance(v, Basic) and v.sort == "unknown" for v in values)
        grown = any(isinstance(v, ContainerValue) for v in values)
        return (unknown or grown) and filters_travel(self.context.project, self.class_name)


def is_declared_int(context: FileContext, node: ast.expr) -> bool:
    """Whether an attribute is declared as `int` by every class that the object can be of."""
    if not isinstance(node, ast.Attribute):
        return False
    owners = context.values(node.value)
    records = [context.project.class_of(v.class_name) for v in owners if isinstance(v, Instance)]
    return len(records) == len(owners) > 0 and all(
        record is not None and record[1].annotations.get(node.attr) == ir.Name("int")
        for record in records
    )


def _is_literal_axis(node: ast.expr) -> bool:
    if isinstance(node, ast.Tuple | ast.List):
        return all(_is_literal_axis(element) for element in node.elts)
    return isinstance(node, ast.Constant) or (
        isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant)
    )


def _means_the_same(context: FileContext, value: ast.expr, place: ast.expr) -> bool:
    """Whether the names in `value`, written at `place` instead, stand for what they stood for."""
    there, here = context.tree.scope(value), context.tree.scope(place)
    return all(
        context.reaching.is_unchanged(node, place)
        or (
            context.project.bindings(there, node.id) == context.project.bindings(here, node.id)
            and len(context.project.bindings(here, node.id)) <= 1
        )
        for node in ast.walk(value)
        if isinstance(node, ast.Name)
    )
