"""What names and attributes give."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterator, Sequence

from nnx_migrate.analysis.domain.values import (
    Instance,
    Located,
    ParameterOf,
    Scope,
)
from nnx_migrate.analysis.flax.names import layer_of
from nnx_migrate.analysis.heap.container_elements import told_apart
from nnx_migrate.analysis.heap.retention import attribute_path
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.ir.lowering.expressions import is_new_container
from nnx_migrate.analysis.points_to.abstract_objects import (
    NOTHING,
    Anything,
    Held,
    MadeBy,
    Object,
    Variable,
    attribute,
    called,
    either,
    same_each_turn,
    spread,
    together,
    without,
)
from nnx_migrate.analysis.points_to.call_results import given_by
from nnx_migrate.analysis.points_to.container_contents import calls_in
from nnx_migrate.analysis.points_to.queries import LAST, Objects
from nnx_migrate.analysis.symbols.program import Binding


def named(objects: Objects, scope: Scope, name: str, at: int) -> Held:
    """What a name gives."""
    bindings = objects.project.bindings(scope, name)
    if not bindings:
        return NOTHING
    where = bindings[0].scope
    if _is_bound_once(objects, where, name, bindings) and isinstance(bindings[0], Located):
        line = _lines(objects, where, name)[0]
        at = line if line and where == scope else LAST
        held = called(objects.held(where, bindings[0].expr, at), name)
        if line and (held == NOTHING or held.way == "some"):
            # Nobody knows which one it is, but it is the same one wherever the name stands.
            one = Object(Variable(where, name, line), (), Located(scope, ir.Name(name)), name)
            return dataclasses.replace(held, object=one)
        return _with_more(objects, where, ir.Name(name), held)
    if isinstance(bindings[0], ParameterOf) and len(bindings) == 1:
        return Held(Object(Variable(where, name, 0), (), Located(scope, ir.Name(name)), name))
    bound = [each for each in bindings if isinstance(each, Located) and each.scope == where]
    if any(is_new_container(each.expr) for each in bound):
        return _grown(objects, where, name, [each.expr for each in bound])
    return _bound_again(objects, scope, name, at if where == scope else LAST)


def _is_bound_once(objects: Objects, where: Scope, name: str, bindings: Sequence[Binding]) -> bool:
    """Whether nothing else has that name anywhere, be it above the code that reads it."""
    return len(bindings) == 1 >= len(objects.project.function(where).bindings.get(name, ()))


def _with_more(objects: Objects, scope: Scope, name: ir.Name, held: Held) -> Held:
    """A new object with what the code beside stores in its attributes."""
    if held.object is None or not isinstance(held.object.root, MadeBy):
        return held
    parts = dict(held.parts)
    for write in objects.project.function(scope).writes:
        if write.how == "set" and write.value and ir.root_name(write.target) == name:
            place = ".".join(attribute_path(write.target))
            stored = objects.held(scope, write.value, write.line)
            if place and stored != NOTHING:
                parts[place] = either([stored, parts.get(place, NOTHING)])
    return dataclasses.replace(held, parts=tuple(parts.items()))


def _bound_again(objects: Objects, scope: Scope, name: str, at: int) -> Held:
    """A variable that is bound more than once, as it is at a line."""
    where = objects.project.bindings(scope, name)[0].scope
    bound = objects.bound(scope, name)
    options = bound.parts if bound.way == "either" else (("", bound),)
    version = max((line for _, line in _with_lines(objects, scope, name) if line < at), default=0)
    known = Object(Variable(where, name, version), (), Located(scope, ir.Name(name)), name)
    return Held(known if version else None, options, "either")


def any_binding(objects: Objects, scope: Scope, name: str) -> Held:
    """What a variable may be that is bound more than once, whatever the line."""
    where = objects.project.bindings(scope, name)[0].scope
    options = []
    for binding, line in _with_lines(objects, scope, name):
        if isinstance(binding, ParameterOf):
            variable = Variable(binding.scope, name, 0)
            options.append(Held(Object(variable, (), Located(where, ir.Name(name)), name)))
        else:
            bound = objects.held(binding.scope, binding.expr, line or LAST)
            options.append(_whatever_is_made(bound))
    return Held(None, tuple(("", each) for each in options), "either")


def _with_lines(objects: Objects, scope: Scope, name: str) -> Iterator[tuple[Binding, int]]:
    """What a variable is bound to, each on which line of its function; 0 for other functions."""
    bindings = objects.project.bindings(scope, name)
    where = bindings[0].scope
    known = [isinstance(each, Located) and each.scope == where for each in bindings]
    lines = iter(_lines(objects, where, name)[-sum(known) :])  # of what code further down can see
    for binding, is_known in zip(bindings, known, strict=True):
        yield binding, next(lines, 0) if is_known else 0


def _grown(objects: Objects, scope: Scope, name: str, bound: list[ir.Expr]) -> Held:
    """A list or the like, with what is put into it later on."""
    made, grown = told_apart(objects.project.function(scope), name, bound)
    first = either(objects.held(scope, each) for each in made)
    later = [objects.held(scope, each) for each in grown]
    if not any(each.parts or each.object for each in later):
        return first
    is_new = functools.partial(_is_made_in_a_loop, objects)
    for expr, held in zip(grown, list(later), strict=True):
        if _stands_in_a_loop(objects, scope, expr):
            later.append(same_each_turn(without(held, is_new)))
    place = Located(scope, ir.Name(name))
    parts = [part for each in (first, *later) for part in spread(each, place)]
    return without(together(("", part) for _, part in parts), is_new)


def _stands_in_a_loop(objects: Objects, scope: Scope, expr: ir.Expr) -> bool:
    return any(_is_in_a_loop(objects, scope, call.line) for call in calls_in((expr,)))


def _is_made_in_a_loop(objects: Objects, one: Object) -> bool:
    """Whether each turn of a loop makes another one, or binds its name to another one."""
    match one.root:
        case Variable(scope=scope, version=line):
            return _is_in_a_loop(objects, scope, line)
        case MadeBy(outermost=(scope, call)):
            return _is_in_a_loop(objects, scope, call.line)
        case Anything():
            return False


def _is_in_a_loop(objects: Objects, scope: Scope, line: int) -> bool:
    return any(a <= line <= b for a, b in objects.project.function(scope).loops)


def _lines(objects: Objects, scope: Scope, name: str) -> tuple[int, ...]:
    return objects.project.function(scope).lines.get(name, ()) or (0,)


def attribute_of(objects: Objects, scope: Scope, base: ir.Expr, name: str, at: int) -> Held:
    """What an attribute gives, or a property."""
    expr = ir.Attribute(base, name)
    held = objects.held(scope, base, at)
    if held == NOTHING:
        return _of_other_module(objects, scope, expr)
    options = []
    for value in sorted(objects.evaluator.values(scope, base), key=repr):
        if isinstance(value, Instance) and layer_of(value.class_name) is None:
            method = objects.hierarchy.method(value.class_name, name)
            if isinstance(method, Scope):
                given = given_by(objects, method, {0: held}, ir.UNSEEN, (scope, ir.UNSEEN))
                options.append(without(given, _is_made_by_a_property))
    if options:
        return either(options)
    return attribute(held, name, Located(scope, expr))


def _of_other_module(objects: Objects, scope: Scope, expr: ir.Attribute) -> Held:
    """An object of another module: `models.SHARED`."""
    dotted = objects.project.dotted(scope, expr)
    bindings = objects.project.member(dotted) if dotted else None
    if not bindings or len(bindings) != 1 or not isinstance(bindings[0], Located):
        return NOTHING
    return objects.held(bindings[0].scope, bindings[0].expr)


def _is_made_by_a_property(one: Object) -> bool:
    """Whether it is another one each time."""
    return isinstance(one.root, MadeBy) and one.root.outermost[1] == ir.UNSEEN


def _whatever_is_made(held: Held) -> Held:
    """The same without a word of which call made it, since others may have made it too."""
    if held.object is not None and isinstance(held.object.root, MadeBy):
        return dataclasses.replace(held, object=None)
    return held
