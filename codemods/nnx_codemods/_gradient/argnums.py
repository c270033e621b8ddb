"""What a gradient is taken with respect to: `argnums=` in all its forms, DiffState included."""

from __future__ import annotations

import ast
import dataclasses

from nnx_codemods._gradient.refusal import GradientCause
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.core.refusal import Reason
from nnx_migrate.rewrite.model.context import FileContext


@dataclasses.dataclass(frozen=True, slots=True)
class Target:
    """One differentiated argument.

    Args:
        index: its place.
        filter: source text of the filter of a DiffState; None for a plain number.
    """

    index: int
    filter: str | None


@dataclasses.dataclass(frozen=True, slots=True)
class Argnums:
    """All differentiated arguments.

    Args:
        names: names of variables that hold the DiffStates and may be of no use afterwards.
        unknown: why the arguments cannot be told; empty when they can.
        of_diff_state: what cannot be told is a DiffState.
    """

    targets: tuple[Target, ...] = ()
    names: tuple[str, ...] = ()
    unknown: Reason = ""
    of_diff_state: bool = False

    @property
    def uses_diff_state(self) -> bool:
        """Whether a DiffState is among them, as far as that can be told."""
        return self.of_diff_state or any(target.filter is not None for target in self.targets)


def argnums_of(context: FileContext, site: Site, param: str) -> Argnums:
    """Read the `argnums=` of a gradient site.

    Args:
        param: source text of the filter that a plain number means (`nnx.Param`).
    """
    option = site.options.get("argnums")
    if option is None:
        return Argnums((Target(0, None),))
    return _read(context, option, param, frozenset())


def _read(context: FileContext, node: ast.expr, param: str, seen: frozenset[ast.expr]) -> Argnums:
    match node:
        case ast.Constant(value=int(index)) if index >= 0:
            return Argnums((Target(index, None),))
        case ast.Tuple(elts=elements) | ast.List(elts=elements) if elements:
            return _combined([_read(context, element, param, seen) for element in elements])
        case ast.Call() if context.tree.nnx_name(node.func) == "DiffState":
            return _diff_state(context, node)
        case ast.IfExp(test=test, body=body, orelse=orelse):
            sides = [_read(context, side, param, seen) for side in (body, orelse)]
            return _conditional(context.text.of(test), sides, param)
        case ast.Name(id=name):
            found = context.tree.assigned_value(context.tree.scope(node), name)
            if found and found[0] not in seen and _visible(context, found[0], node):
                read = _read(context, found[0], param, seen | {found[0]})
                return dataclasses.replace(read, names=(name, *read.names))
    text = context.text.of(node)
    why = GradientCause.ARGNUMS_HIDDEN.about(text=text)
    return Argnums(unknown=why, of_diff_state="DiffState" in text)


def _visible(context: FileContext, value: ast.expr, place: ast.expr) -> bool:
    """Whether the names in `value` mean at `place` what they mean where it was written."""
    there, here = context.tree.scope(value), context.tree.scope(place)
    return all(
        context.project.bindings(there, node.id) == context.project.bindings(here, node.id)
        and len(context.project.bindings(here, node.id)) <= 1
        for node in ast.walk(value)
        if isinstance(node, ast.Name)
    )


def _combined(parts: list[Argnums]) -> Argnums:
    first = next((part for part in parts if part.unknown), Argnums())
    targets = tuple(target for part in parts for target in part.targets)
    if len({target.index for target in targets}) != len(targets):
        first = first if first.unknown else Argnums(unknown=GradientCause.TWICE_IN_ARGNUMS)
    names = tuple(name for part in parts for name in part.names)
    return dataclasses.replace(first, targets=targets, names=names)


def _diff_state(context: FileContext, call: ast.Call) -> Argnums:
    given: dict[str, ast.expr] = dict(zip(("argnum", "filter"), call.args, strict=False))
    given.update({k.arg: k.value for k in call.keywords if k.arg})
    index, chosen = given.get("argnum"), given.get("filter")
    if isinstance(index, ast.Constant) and isinstance(index.value, int) and chosen is not None:
        return Argnums((Target(index.value, _filter_text(context, chosen)),))
    return Argnums(unknown=GradientCause.DIFF_STATE_HIDDEN, of_diff_state=True)


def _filter_text(context: FileContext, node: ast.expr) -> str:
    text = context.text.of(node)
    # A filter that is a tuple stands as one argument of nnx.split only with its parentheses on.
    if isinstance(node, ast.Tuple) and not text.startswith("("):
        return f"({text})"
    return text


def _conditional(test: str, sides: list[Argnums], param: str) -> Argnums:
    first, second = sides
    same = [t.index for t in first.targets] == [t.index for t in second.targets]
    if first.unknown or second.unknown or not same:
        return Argnums(unknown=GradientCause.CONDITIONAL)
    targets = tuple(
        Target(a.index, f"{a.filter or param} if {test} else {b.filter or param}")
        for a, b in zip(first.targets, second.targets, strict=True)
    )
    return Argnums(targets, first.names + second.names)
