"""Places in containers that are computed from names: the same where these mean the same."""

from __future__ import annotations

import dataclasses

from nnx_migrate.analysis.callgraph.binding import argument_for
from nnx_migrate.analysis.domain.values import Located, Scope
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.points_to.abstract_objects import Object, is_some
from nnx_migrate.analysis.points_to.containers.literals import literal_of, with_lines
from nnx_migrate.analysis.points_to.queries import LAST, Objects
from nnx_migrate.analysis.symbols.higher_order import TURN, turn_of


def as_bound(objects: Objects, scope: Scope, expr: ir.Expr, at: float) -> str:
    """A name, or an attribute of one, with the line that says what it is at a line."""
    match expr:
        case ir.Name(id=name):
            return _name_as_bound(objects, scope, name, at)
        case ir.Attribute():
            writes = objects.project.function(scope).writes
            lines = (write.line for write in writes if write.target == expr)
            return f"{ir.path_of(expr)}:{max((line for line in lines if line < at), default=0)}"
        case ir.Constant(text=text):
            return text
        case _:
            return ""


def _name_as_bound(objects: Objects, scope: Scope, name: str, at: float) -> str:
    bindings = objects.project.bindings(scope, name)
    if not bindings:
        return name
    if text := literal_of(objects, scope, ir.Name(name), at):
        return text if text.isdecimal() else repr(text)
    where = bindings[0].scope
    at = at if where == scope else LAST
    known = [(line, b) for b, line in with_lines(objects, scope, name) if 0 < line < at]
    if not known:
        return f"{name}:{objects.project.function(where).line}"
    line, binding = max(known, key=lambda each: each[0])
    match binding:
        case Located(expr=ir.Unpacked(base=ir.Iterated(base=ir.Call() as call), index=0)):
            return turn_of(call)  # `i` of enumerate(nets), `name` of nets.items()
    return f"{name}:{line}"


def as_passed(
    objects: Objects, one: Object, callee: Scope, call: ir.Call, where: Scope, bound: int
) -> tuple[Object, frozenset[str]]:
    """An object that a function finds under places, as the one that a call of it means.

    `cache[name]` of a parameter is `cache["online"]` for a call that passes "online".

    Args:
        where: the function that calls.
        bound: how many of the parameters the call does not pass.

    Returns:
        The object, and which places are names that mean something where the call stands.
    """
    is_outer = one.home not in {callee, None}
    told = {
        place: passed
        for place in one.path
        if is_some(place)
        and ":" in place
        and (passed := _place_as_passed(objects, place, callee, call, where, bound, is_outer))
    }
    path = tuple(told.get(place, place) for place in one.path)
    return dataclasses.replace(one, path=path), frozenset(told.values())


def _place_as_passed(
    objects: Objects,
    place: str,
    callee: Scope,
    call: ir.Call,
    where: Scope,
    bound: int,
    is_outer: bool,
) -> str:
    """A place by what a call passes for the parameters that it is computed from; "" if unknown.

    Args:
        is_outer: what has it belongs to a function around the one that is called.
    """
    function = objects.project.function(callee)
    names: list[str] = []
    for each in place[1:-1].split(" "):
        name, has_line, line = each.partition(":")
        if not has_line:
            names.append(each)
            continue
        parameter = next((p for p in function.parameters if p.name == name), None)
        bindings = objects.project.bindings(callee, name)
        is_around = bool(bindings) and bindings[0].scope != callee
        if is_around or (is_outer and each.startswith(TURN)):
            names.append(each)  # of a function around it, where it means the same
            continue
        if parameter is None or line != str(function.line) or name in function.bindings:
            return ""
        given = argument_for(function.parameters, parameter, call, bound)
        passed = "" if given is None else place_of(objects, where, given, call.line)
        if not passed:
            return ""
        names.append(passed)
    alone = len(names) == 1 and names[0].startswith("=")
    return names[0][1:] if alone else f"[{' '.join(names)}]"


def place_of(objects: Objects, scope: Scope, expr: ir.Expr, at: float) -> str:
    """What tells an argument apart by which something is found; "" where nothing does."""
    if text := literal_of(objects, scope, expr, at):
        return f"={text}"
    match expr:
        case ir.Name(id=name) if not _is_of_a_turn(objects, scope, name):
            return as_bound(objects, scope, expr, at)
        case _:
            return ""


def _is_of_a_turn(objects: Objects, scope: Scope, name: str) -> bool:
    """Whether a name is bound in a loop or a comprehension, to something else in each turn."""
    bindings = objects.project.bindings(scope, name)
    if not bindings:
        return False
    function = objects.project.function(bindings[0].scope)
    lines = [line for _, line in with_lines(objects, scope, name)]
    in_a_loop = any(first <= line <= last for first, last in function.loops for line in lines)
    return in_a_loop or name in function.loose
