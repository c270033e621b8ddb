"""What the functions of a site capture: which objects, and what is done to them."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterator

from nnx_codemods._captures.disjoint_names import distinct
from nnx_codemods._captures.refusal import CaptureCause
from nnx_codemods._evidence import is_graph_node
from nnx_migrate.analysis.domain.containers import any_leaf, is_container
from nnx_migrate.analysis.domain.values import (
    Basic,
    FunctionValue,
    Instance,
    Scope,
    Value,
    Values,
    is_unknown,
)
from nnx_migrate.analysis.effects.captured.steps import Use, Uses
from nnx_migrate.analysis.heap.globals import OBJECTS
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.analysis.sites.tree import AnyFunction, FunctionNode
from nnx_migrate.core.refusal import Reason
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import Capture
from nnx_migrate.rewrite.model.functions import definition_of, free_names
from nnx_migrate.rewrite.model.stacks import stack_of


@dataclasses.dataclass(frozen=True, slots=True)
class Captured:
    """What the functions of a site capture.

    Args:
        objects: the Modules and the like.
        uses: what is done to them that needs them to be given.
        unseen: something is done to them that is not seen.
        obstacles: why they cannot be passed.
        unclear: the same, where nothing else is against it.
        where: the function around the site that binds each, by its name.
        holders: names of what only holds objects: lists, and objects of other classes.
        names: each function with a name of an object; what it does to that, `as_changed` asks.
    """

    objects: tuple[Capture, ...]
    uses: frozenset[Use] = frozenset()
    unseen: bool = False
    obstacles: tuple[Reason, ...] = ()
    unclear: Reason = ""
    where: tuple[tuple[str, Scope], ...] = ()
    holders: tuple[str, ...] = ()
    names: tuple[tuple[Scope, str], ...] = ()

    @property
    def obstacle(self) -> Reason:
        """Why they cannot be passed; empty when nothing was found against it."""
        return min(self.obstacles, key=str, default="") or self.unclear


def definitions_of(context: FileContext, site: Site) -> list[AnyFunction | None]:
    """The functions of a site, as they are defined in this file."""
    functions = site.functions or (stack_of(context, site)[-1].function,)
    return [definition_of(context, function) for function in functions]


def calls_of_decorated(context: FileContext, site: Site) -> Iterator[ast.Call]:
    """The calls of a decorated function, where they are in this file."""
    if site.form == "decorator" and isinstance(site.function, FunctionNode):
        here = context.tree.scope(site.function)
        for load in context.finder.loads(here, site.function.name):
            call = context.tree.parents[load]
            if isinstance(call, ast.Call) and call.func is load:
                yield call


def may_capture(context: FileContext, site: Site) -> bool:
    """Whether a function of the site stands where there are names to capture; a cheap check."""
    functions = site.functions or (stack_of(context, site)[-1].function,)
    for each in functions:
        if isinstance(each, ast.AST) and site.form == "operands":
            return True
        if isinstance(each, ast.AST) and context.tree.function_around(each) is not None:
            return True
    return next(context.analysis.objects.seen_from(context.tree.module), None) is not None


@dataclasses.dataclass(slots=True)
class _Reads:
    """What functions read from outside, while they are looked through.

    Args:
        names: of objects, each with the function that reads it.
        holders: the same of what may hold objects.
        changed: something may be put into a holder.
    """

    names: dict[str, Scope] = dataclasses.field(default_factory=dict)
    holders: dict[str, Scope] = dataclasses.field(default_factory=dict)
    changed: bool = False
    obstacles: list[Reason] = dataclasses.field(default_factory=list)
    uses: set[Use] = dataclasses.field(default_factory=set)


def captured_by(context: FileContext, site: Site) -> Captured | None:
    """What the functions of a site capture; None when these are not all seen in this file."""
    definitions = definitions_of(context, site)
    seen = [definition for definition in definitions if definition is not None]
    found = _Reads()
    for definition in seen:
        _read_by(context, site, definition, found)
    names, uses = found.names, found.uses
    branches = [definition_of(context, function) for function in site.branches]
    if not names and found.holders and not found.changed and None not in definitions:
        return _in_holders(context, found.holders, uses)
    if not names or None in (branches if site.form == "operands" else definitions):
        return None
    objects, unclear = distinct(context, names)
    scopes = [context.tree.scope_of(definition) for definition in seen]
    named = tuple((scope, name) for name in names for scope in scopes)
    for scope, name in named:
        uses |= _uses_of(context, scope, name)
    objects = tuple(
        dataclasses.replace(each, updated=_may_be_updated(context, site, each, frozenset(uses)))
        for each in objects
    )
    where = tuple((name, _binding_scope(context, scope, name)) for name, scope in names.items())
    obstacles, unseen = tuple(found.obstacles), None in definitions
    return Captured(objects, frozenset(uses), unseen, obstacles, unclear, where=where, names=named)


def as_changed(context: FileContext, captured: Captured) -> Captured:
    """The same with what the functions do to the objects: the dearest question, so asked last."""
    obstacles, unseen = list(captured.obstacles), captured.unseen
    for scope, name in captured.names:
        for effect in context.effects_of(scope, name):
            unseen = unseen or effect.kind == "unknown"
            if effect.sows:
                obstacles.append(CaptureCause.SOWS)
            elif effect.kind != "unknown":
                why = CaptureCause.EFFECT.about(effect.where, what=effect.what)
                obstacles.append(why)
    return dataclasses.replace(captured, unseen=unseen, obstacles=tuple(obstacles))


def uses_of(context: FileContext, captured: Captured, name: str) -> Uses:
    """What the functions do to the object that one name stands for."""
    found = (_uses_of(context, scope, each) for scope, each in captured.names if each == name)
    return frozenset[Use]().union(*found)


def _read_by(context: FileContext, site: Site, definition: AnyFunction, found: _Reads) -> None:
    """Take note of the objects that one function has from outside, and of what may hold some."""
    scope = context.tree.scope_of(definition)
    for name in _defaulted(context, site, definition):
        found.obstacles.append(CaptureCause.HELD_BY_DEFAULT.about(name=name))
        found.holders.setdefault(name, scope)
    for read in free_names(context, definition):
        values = context.values(read)
        if is_graph_node(context, values, OBJECTS):
            found.names.setdefault(read.id, scope)
            continue
        if reason := _hidden(context, read, values):
            found.obstacles.append(reason)
        if uses := frozenset(_called_when_bound(context, read, values)):
            found.uses |= uses
            found.holders.setdefault(read.id, scope)
        if any(isinstance(value, Instance) and value.partial for value in values):
            found.obstacles.append(CaptureCause.IS_PARTIAL.about(name=read.id))
            found.holders.setdefault(read.id, scope)
        elif any(_may_hold(context, value) for value in values):
            found.changed = found.changed or _may_be_changed(context, read)
            found.holders.setdefault(read.id, scope)


def _defaulted(context: FileContext, site: Site, definition: AnyFunction) -> Iterator[str]:
    """Parameters of a function of a loop that are left to defaults which are objects."""
    if not site.spec.is_loop:
        return
    parameters = [*definition.args.posonlyargs, *definition.args.args]
    for parameter, default in zip(
        reversed(parameters), reversed(definition.args.defaults), strict=False
    ):
        if is_graph_node(context, context.values(default), OBJECTS):
            yield parameter.arg


def _called_when_bound(context: FileContext, read: ast.Name, values: Values) -> Iterator[Use]:
    """What a call of a partial, or of a method that has a name of its own, does to its object."""
    call = context.tree.parents[read]
    if not (isinstance(call, ast.Call) and call.func is read):
        return
    for use in uses_when_bound(context, values):
        yield dataclasses.replace(use, via=(context.where(call), *use.via))


def uses_when_bound(context: FileContext, values: Values) -> Iterator[Use]:
    """What functions that are bound to an object do to it."""
    for value in values:
        if isinstance(value, FunctionValue):
            bound = context.project.function(value.scope).parameters
            for parameter in bound[: 1 if value.bound else value.partial_args]:
                yield from context.analysis.uses.of(value.scope, parameter.name)
            for name in value.bound_keywords:
                yield from context.analysis.uses.of(value.scope, name)


def _in_holders(context: FileContext, holders: dict[str, Scope], uses: set[Use]) -> Captured:
    """Objects that the functions reach through a list, or through what is bound to them."""
    held = (context.analysis.uses.of(scope, name) for name, scope in holders.items())
    uses = uses.union(*held)
    obstacles = (CaptureCause.IN_HOLDERS,)
    return Captured((), frozenset(uses), obstacles=obstacles, holders=tuple(holders))


def _may_be_changed(context: FileContext, read: ast.Name) -> bool:
    """Whether something may be put into what a name holds, where it is read."""
    node: ast.expr = read
    parent = context.tree.parents[node]
    while isinstance(parent, ast.Attribute | ast.Subscript) and parent.value is node:
        if not isinstance(parent.ctx, ast.Load):
            return True
        if is_graph_node(context, context.values(parent), OBJECTS):
            return False
        node, parent = parent, context.tree.parents[parent]
    called = isinstance(parent, ast.Call) and parent.func is node
    return called or node is read


def _may_hold(context: FileContext, value: Value) -> bool:
    """Whether it is no Module or the like, and may hold one."""
    if isinstance(value, Instance):
        return context.project.class_of(value.class_name) is not None
    return is_container(value) and _holds_node(context, value)


def _uses_of(context: FileContext, scope: Scope, name: str) -> Uses:
    """The uses of a captured object, without those of Variables that it was not made with."""
    found = context.analysis.uses.of(scope, name)
    spared = frozenset(use for use in found if use.spares_params)
    if spared and context.analysis.contents.of_expression(scope, ir.Name(name)).only_params:
        return found - spared
    return found


def _may_be_updated(
    context: FileContext, site: Site, capture: Capture, uses: frozenset[Use]
) -> bool:
    """Whether anything updates it: Params alone are not what a forward pass updates."""
    updated = any(use.kind == "update" for use in uses)
    scope = context.tree.scope(site.node)
    contents = context.analysis.contents.of_expression(scope, ir.Name(capture.name))
    return updated or not contents.only_params


def _binding_scope(context: FileContext, scope: Scope, name: str) -> Scope:
    return context.project.bindings(scope, name)[0].scope


def _hidden(context: FileContext, name: ast.Name, values: Values) -> Reason:
    """Why what a function captures may hold an object that is not seen to be passed."""
    for value in values:
        if _holds_node(context, value):
            return CaptureCause.NOT_FOLLOWED.about(name=name.id)
        if isinstance(value, FunctionValue) and _captures_node(context, value, frozenset()):
            return CaptureCause.FUNCTION_CAPTURES.about(name=name.id)
    parent = context.tree.parents[name]
    if is_unknown(values) and isinstance(parent, ast.Call) and parent.func is name:
        return CaptureCause.CODE_UNKNOWN.about(name=name.id)
    return ""


def _holds_node(context: FileContext, value: Value) -> bool:
    return any_leaf(
        frozenset({value}), lambda each: is_graph_node(context, frozenset({each}), OBJECTS)
    )


def _captures_node(context: FileContext, value: FunctionValue, around: frozenset[Scope]) -> bool:
    """Whether a function of this file is bound to an object, or captures one, through others."""
    if value.bound or value.partial_args or value.bound_keywords:
        return True
    if value.scope.module != context.tree.module:
        return False
    definition = context.tree.functions.get(value.scope.function)
    if definition is None:
        return True
    for name in free_names(context, definition):
        for held in context.values(name):
            if _holds_node(context, held):
                return True
            if not isinstance(held, FunctionValue) or held.scope in around | {value.scope}:
                continue
            if _captures_node(context, held, around | {value.scope}):
                return True
    return False


def given_back(context: FileContext, site: Site) -> Iterator[Values]:
    """What the functions of a site return."""
    for definition in definitions_of(context, site):
        if isinstance(definition, ast.Lambda):
            yield context.values(definition.body)
        elif definition is not None:
            yield context.evaluator.returned(context.tree.scope_of(definition))


def gives_object(context: FileContext, value: Value) -> bool:
    """Whether what a function returns is, or holds, an object or a State of one."""
    return _holds_node(context, value) or any_leaf(
        frozenset({value}), lambda each: isinstance(each, Basic) and each.sort == "state"
    )
