"""Objects that keep the tracked one, as code outside of them stored it: `keeper.model = model`.

Such a keeper is no part of the object. So what a function does to the keeper is no effect on the
object, and what it does to the attribute of the keeper is: `def run(self): self.model.n += 1`.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import TYPE_CHECKING

from nnx_migrate.analysis.callgraph.binding import arguments
from nnx_migrate.analysis.domain.values import FunctionValue, Instance, Located, Scope
from nnx_migrate.analysis.effects.effect import Done
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.symbols.passed_on import writes_in
from nnx_migrate.analysis.symbols.program import Project

if TYPE_CHECKING:
    from nnx_migrate.analysis.effects.aliases.may_alias import Aliases

#: How something is put in an attribute, or in a container that is kept there.
_STORING = frozenset({"set", "grow", "item", "key"})


def stored_in(
    aliases: Aliases, scope: Scope, keeper: ir.Expr, seen: frozenset[str] = frozenset()
) -> frozenset[str]:
    """The attributes of an object under which the tracked one was stored, or the ways there.

    Args:
        scope: where the expression stands that gives the object.
        keeper: that expression.
        seen: names that it was followed through.
    """
    found = set(_left_below(aliases, scope, keeper))
    for place, where, value in aliases.stores.get(keeper, ()):
        if aliases.rooted(where, value) and not aliases.rooted(scope, keeper):
            found.add(place)
    if isinstance(keeper, ir.Name) and keeper.id not in seen:
        found.update(_stored_by_calls(aliases, scope, keeper))
        for bound in aliases.project.bindings(scope, keeper.id):
            if isinstance(bound, Located) and isinstance(bound.expr, ir.Name):
                found |= stored_in(aliases, bound.scope, bound.expr, seen | {keeper.id})
    return frozenset(found)


def _left_below(aliases: Aliases, scope: Scope, keeper: ir.Expr) -> Iterator[str]:
    """The rest of the way to the object, where the tracked parameter keeps it: for a part of it."""
    way = aliases.way_to(scope, keeper)
    above = f"{way}." if way else ""
    if way is not None and aliases.attribute.startswith(above):
        yield aliases.attribute.removeprefix(above)


def stores_of(project: Project, scope: Scope) -> dict[ir.Expr, list[tuple[str, Scope, ir.Expr]]]:
    """What a function stores in objects: the attributes that lead there, where, and the value.

    Returns:
        By each object on the way: `a.b.models.append(m)` stores something in `a`, and in `a.b`.
    """
    found: dict[ir.Expr, list[tuple[str, Scope, ir.Expr]]] = {}
    for where in project.within(scope):
        for write in writes_in(project.function(where)):
            place, way = write.target, ""
            while isinstance(place, ir.Attribute) and write.value is not None:
                way = f"{place.name}.{way}" if way else place.name
                place = place.base
                if write.how in _STORING:
                    found.setdefault(place, []).append((way, where, write.value))
    return found


def _stored_by_calls(aliases: Aliases, scope: Scope, keeper: ir.Name) -> Iterator[str]:
    """The same by functions that are given both: `attach(keeper, model)`."""
    for call in aliases.finder.calls_given(scope, keeper):
        for value in aliases.values(scope, call.func):
            if isinstance(value, FunctionValue):
                function = aliases.project.function(value.scope)
                passed = [each for each in arguments(function, value, call) if each[1] is not None]
                own = [parameter.name for parameter, given in passed if given == keeper]
                objects = [
                    parameter.name
                    for parameter, given in passed
                    if given is not None and own and aliases.rooted(scope, given)
                ]
                for name, other in itertools.product(own, objects):
                    yield from aliases.finder.stored_by(value.scope, other, name)


def done_by_keepers(aliases: Aliases, scope: Scope, call: ir.Call) -> Iterator[Done]:
    """What functions that a call passes a keeper do to what this keeps: `keeper.run()`."""
    given = (*call.args, *(value for _, value in call.keywords))
    own = call.func.base if isinstance(call.func, ir.Attribute) else call.func
    if not any(stored_in(aliases, scope, each) for each in (own, *given)):
        return
    called = aliases.values(scope, call.func)
    for value in called:
        yield from _done_by(aliases, scope, value, call, own)
    if isinstance(call.func, ir.Attribute) and not any(
        isinstance(value, FunctionValue) and value.bound for value in called
    ):
        yield from done_by_reading(aliases, scope, call.func)


def done_by_reading(aliases: Aliases, scope: Scope, read: ir.Attribute) -> Iterator[Done]:
    """What properties of a keeper do to what it keeps."""
    hierarchy = aliases.finder.hierarchy
    for name in stored_in(aliases, scope, read.base):
        for value in aliases.values(scope, read.base):
            if isinstance(value, Instance):
                for method in hierarchy.first_methods.of(hierarchy, value, (read.name,)):
                    yield from _of_own(aliases, method, frozenset({name}))


def _done_by(
    aliases: Aliases, scope: Scope, value: object, call: ir.Call, own: ir.Expr
) -> Iterator[Done]:
    match value:
        case FunctionValue():
            function = aliases.project.function(value.scope)
            if value.bound:
                yield from _of_own(aliases, value.scope, stored_in(aliases, scope, own))
            for parameter, argument in arguments(function, value, call):
                kept = frozenset[str]() if argument is None else stored_in(aliases, scope, argument)
                for name in kept:
                    yield aliases.finder.by_call(value.scope, under_name(parameter.name, name))
        case Instance():
            hierarchy = aliases.finder.hierarchy
            for method in hierarchy.first_methods.of(hierarchy, value, ("__call__",)):
                bound = FunctionValue(method, method.function, bound=True)
                yield from _done_by(aliases, scope, bound, call, call.func)


def _of_own(aliases: Aliases, method: Scope, kept: frozenset[str]) -> Iterator[Done]:
    parameters = aliases.project.function(method).parameters
    for name in kept if parameters else ():
        yield aliases.finder.by_call(method, under_name(parameters[0].name, name))


def under_name(parameter: str, attribute: str) -> str:
    """A parameter that keeps the object under an attribute, or the way there: "inner.model"."""
    return f"{parameter}[.{attribute}]"


def kept_under(parameter: str) -> tuple[str, str]:
    """The name of a parameter, and the attribute under which it keeps the object, or nothing."""
    name, bracket, rest = parameter.partition("[.")
    return (name, rest[:-1]) if bracket else (parameter, "")
