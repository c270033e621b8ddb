"""What names give."""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Callable, Iterator, Sequence

from nnx_migrate.analysis.domain.values import (
    Instance,
    Located,
    ParameterOf,
    Scope,
)
from nnx_migrate.analysis.domain.witnesses import in_order
from nnx_migrate.analysis.flax.names import layer_of
from nnx_migrate.analysis.heap.container_elements import are_under_keys, has_places, told_apart
from nnx_migrate.analysis.heap.retention import attribute_path
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.ir.lowering.expressions import is_new_container
from nnx_migrate.analysis.points_to.abstract_objects import (
    ALL_TURNS,
    NOTHING,
    Anything,
    Held,
    MadeBy,
    Object,
    Variable,
    called,
    either,
    is_untold,
    together,
    under_keys,
    without,
)
from nnx_migrate.analysis.points_to.call_results import in_terms_of
from nnx_migrate.analysis.points_to.container_contents import calls_in, identified, turn_of
from nnx_migrate.analysis.points_to.containers.elements import same_each_turn, spread, unknown_which
from nnx_migrate.analysis.points_to.queries import LAST, Objects
from nnx_migrate.analysis.symbols.program import Binding

#: A name that is bound more often is asked for from the top.
_MANY_BINDINGS = 8


def named(objects: Objects, scope: Scope, name: str, at: float) -> Held:
    """What a name gives."""
    bindings = objects.project.bindings(scope, name)
    if not bindings:
        return NOTHING
    where = bindings[0].scope
    if _is_bound_once(objects, where, name, bindings) and isinstance(bindings[0], Located):
        line = _lines(objects, where, name)[0]
        at = _before(line) if where == scope else LAST
        held = called(objects.held(where, bindings[0].expr, at), name)
        if line and (held.way == "some" or is_untold(held)):
            return _one_by_name(held, where, name, line)
        return _with_more(objects, where, ir.Name(name), held)
    if isinstance(bindings[0], ParameterOf) and len(bindings) == 1:
        return Held(Object(Variable(where, name, 0), (), Located(scope, ir.Name(name)), name))
    at = at if where == scope else LAST
    own = (each for each in bindings if isinstance(each, Located) and each.scope == where)
    if any(is_new_container(each.expr) for each in own):
        held = _grown(objects, scope, name, at)
        first = min(line for _, line in _with_lines(objects, scope, name))
        return _one_by_name(held, where, name, first) if first and is_untold(held) else held
    return _bound_again(objects, scope, name, at)


def one_under(
    objects: Objects,
    scope: Scope,
    found: Held,
    base: ir.Expr,
    index: tuple[ir.Expr, ...],
    at: float,
) -> Held:
    """Some element of what `base` gives, as the one at a place that is computed from names.

    It is the same one wherever these names mean the same.
    """
    place = " ".join(_as_bound(objects, scope, each, at) for each in index)
    return identified(objects, scope, found, base, f"[{place}]")


def _as_bound(objects: Objects, scope: Scope, expr: ir.Expr, at: float) -> str:
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
    where = bindings[0].scope
    at = at if where == scope else LAST
    known = [(line, b) for b, line in _with_lines(objects, scope, name) if 0 < line < at]
    if not known:
        return f"{name}:{objects.project.function(where).line}"
    line, binding = max(known, key=lambda each: each[0])
    match binding:
        case Located(expr=ir.Unpacked(base=ir.Iterated(base=ir.Call() as call), index=0)):
            return turn_of(call)  # `i` of enumerate(nets), `name` of nets.items()
    return f"{name}:{line}"


def _one_by_name(held: Held, scope: Scope, name: str, line: int) -> Held:
    """What nobody knows which one it is, but it is the same one wherever the name stands."""
    one = Object(Variable(scope, name, line), (), Located(scope, ir.Name(name)), name)
    return dataclasses.replace(held, object=one)


def _is_bound_once(objects: Objects, where: Scope, name: str, bindings: Sequence[Binding]) -> bool:
    """Whether nothing else has that name anywhere, be it above the code that reads it."""
    return len(bindings) == 1 >= len(objects.project.function(where).bindings.get(name, ()))


def _with_more(objects: Objects, scope: Scope, name: ir.Name, held: Held) -> Held:
    """A new object with what the code beside stores in its attributes, or has its methods store."""
    if held.object is None or not isinstance(held.object.root, MadeBy):
        return held
    parts = dict(held.parts)
    for write in objects.project.function(scope).writes:
        if write.how == "set" and write.value and ir.root_name(write.target) == name:
            place = ".".join(attribute_path(write.target))
            stored = objects.held(scope, write.value, write.line)
            if place and stored != NOTHING:
                parts[place] = either([stored, parts.get(place, NOTHING)])
    for place, stored in _stored_by_methods(objects, scope, name):
        parts[place] = either([stored, parts.get(place, NOTHING)])
    return dataclasses.replace(held, parts=tuple(parts.items()))


def _before(line: int) -> float:
    """A place on a line, before that binds anything."""
    return line - 0.5 if line else LAST


def _stored_by_methods(objects: Objects, scope: Scope, name: ir.Name) -> Iterator[tuple[str, Held]]:
    """What methods that are called on a name store in the object: `keeper.keep(net)`."""
    for call in objects.project.function(scope).calls:
        if not isinstance(call.func, ir.Attribute) or call.func.base != name:
            continue
        for value in in_order(objects.evaluator.values(scope, name)):
            if not isinstance(value, Instance) or layer_of(value.class_name) is not None:
                continue
            method = objects.hierarchy.method(value.class_name, call.func.name)
            if not isinstance(method, Scope):
                continue
            for place, kept, _ in objects.kept(method):
                own = {0: objects.held(scope, name)}
                via = scope, call
                stored = in_terms_of(objects, method, kept, call, own, via, call.line)
                if place and stored != NOTHING:
                    yield ".".join(place), stored


def _bound_again(objects: Objects, scope: Scope, name: str, at: float) -> Held:
    """A variable that is bound more than once, as it is at a line."""
    where = objects.project.bindings(scope, name)[0].scope
    _ask_in_order(objects, scope, name, at)
    bound = objects.bound(scope, name, tuple(_reaching(objects, scope, name, at)))
    options = bound.parts if bound.way == "either" else (("", bound),)
    version = max((line for _, line in _with_lines(objects, scope, name) if line < at), default=0)
    known = Object(Variable(where, name, version), (), Located(scope, ir.Name(name)), name)
    return Held(known if version else None, options, "either")


def _ask_in_order(objects: Objects, scope: Scope, name: str, at: float) -> None:
    """Ask what a name is bound to from the top, where each line may ask for the one above.

    From the bottom, a name that is bound hundreds of times would open hundreds of questions.
    """
    bound = list(_with_lines(objects, scope, name))
    if len(bound) > _MANY_BINDINGS:
        for binding, line in bound:
            if isinstance(binding, Located) and 0 < line < at != LAST:
                objects.held(binding.scope, binding.expr, _before(line))


def any_binding(objects: Objects, name: str, bound: tuple[tuple[Binding, int], ...]) -> Held:
    """What a variable may be that is bound to several values, each on its line."""
    options = []
    for binding, line in bound:
        if isinstance(binding, ParameterOf):
            options.append(_parameter(binding.scope, name))
        else:
            held = objects.held(binding.scope, binding.expr, _before(line))
            options.append(_whatever_is_made(objects, held))
    return Held(None, tuple(("", each) for each in options), "either")


def _parameter(scope: Scope, name: str) -> Held:
    return Held(Object(Variable(scope, name, 0), (), Located(scope, ir.Name(name)), name))


def _reaching(
    objects: Objects, scope: Scope, name: str, at: float
) -> Iterator[tuple[Binding, int]]:
    """What a variable may be bound to at a line: above it, or in a loop around it, or elsewhere.

    What every run binds it to anew, above the line, stands for all that it was before.
    """
    where = objects.project.bindings(scope, name)[0].scope
    function = objects.project.function(where)
    within = function.within_lines.get(name, ())
    settled = function.settled.get(name, ()) if at != LAST else ()
    first = max((first for first, last in settled if last < at), default=0)
    loops = [(start, end) for start, end in function.loops if start <= math.ceil(at) <= end]
    for binding, line in _with_lines(objects, scope, name):
        moved = isinstance(binding, Located) and isinstance(binding.expr, ir.Within)
        above = first <= line and (line <= at or (line in within and _before(line) <= at))
        around = any(start <= line <= end for start, end in loops)
        if moved or binding.scope != where or above or around:
            yield binding, line


def _with_lines(objects: Objects, scope: Scope, name: str) -> Iterator[tuple[Binding, int]]:
    """What a variable is bound to, each on which line of its function; 0 for other functions."""
    bindings = objects.project.bindings(scope, name)
    where = bindings[0].scope
    known = [isinstance(each, Located) and each.scope == where for each in bindings]
    lines = iter(_lines(objects, where, name)[-sum(known) :])  # of what code further down can see
    for binding, is_known in zip(bindings, known, strict=True):
        yield binding, next(lines, 0) if is_known else 0


def _grown(objects: Objects, scope: Scope, name: str, at: float) -> Held:
    """A list or the like, with what is put into it, also behind a line: it may have more names."""
    where = objects.project.bindings(scope, name)[0].scope
    function = objects.project.function(where)
    bound = [
        (each.expr, line)
        for each, line in _with_lines(objects, scope, name)
        if isinstance(each, Located) and each.scope == where
    ]
    made, grown = told_apart(function, name, bound)
    reaching = list(_reaching(objects, scope, name, at))
    options = [_parameter(b.scope, name) for b, _ in reaching if isinstance(b, ParameterOf)]
    lines = {line for _, line in reaching}
    options += [objects.held(where, each, _before(line)) for each, line in made if line in lines]
    first = either(options)
    later = [objects.held(where, each, _before(line)) for each, line in grown]
    if not any(each.parts or each.object for each in later):
        return first
    scope = where
    is_new = functools.partial(is_made_in_a_loop, objects)
    put = []
    for (expr, line), held in zip(grown, list(later), strict=True):
        put.append(_put_in_turns(objects, scope, held, line, is_new))
        if _stands_in_a_loop(objects, scope, expr):
            later.append(same_each_turn(without(unknown_which(held), is_new)))
    if are_under_keys(each for each, _ in grown) and all(has_places(each) for each, _ in made):
        return under_keys((first, *later))
    here = Located(scope, ir.Name(name))
    each_turn = later[len(put) :]
    parts = [
        part for each in (without(first, is_new), *put, *each_turn) for part in spread(each, here)
    ]
    return together(("", part) for _, part in parts)


def _put_in_turns(
    objects: Objects, scope: Scope, held: Held, line: int, is_new: Callable[[Object], bool]
) -> Held:
    """What a line puts into a list, in all turns of the loop around it."""
    if not is_in_a_loop(objects, scope, line):
        return without(held, is_new)
    held = unknown_which(held)
    if any(first < line <= last for first, last in objects.project.function(scope).conditional):
        return without(held, is_new)  # other turns may put it elsewhere
    return _of_all_turns(held, is_new)


def _of_all_turns(held: Held, is_new: Callable[[Object], bool]) -> Held:
    """The same with all that the turns make for each that is new in a turn."""
    own = held.object
    if own is None:
        parts = tuple((name, _of_all_turns(part, is_new)) for name, part in held.parts)
        return dataclasses.replace(held, parts=parts)
    found = without(held, is_new)
    if found.object is None and ALL_TURNS not in own.path:
        own = dataclasses.replace(own, path=(*own.path, ALL_TURNS))
        return dataclasses.replace(found, object=own)
    return found


def _is_of_all_turns(one: Object) -> bool:
    return ALL_TURNS in one.path


def _stands_in_a_loop(objects: Objects, scope: Scope, expr: ir.Expr) -> bool:
    return any(is_in_a_loop(objects, scope, call.line) for call in calls_in((expr,)))


def is_made_in_a_loop(objects: Objects, one: Object) -> bool:
    """Whether each turn of a loop makes another one, or binds its name to another one."""
    match one.root:
        case Variable(scope=scope, version=line):
            return is_in_a_loop(objects, scope, line)
        case MadeBy(outermost=(scope, call)):
            return is_in_a_loop(objects, scope, call.line)
        case Anything():
            return False


def is_in_a_loop(objects: Objects, scope: Scope, line: int) -> bool:
    return any(a <= line <= b for a, b in objects.project.function(scope).loops)


def _lines(objects: Objects, scope: Scope, name: str) -> tuple[int, ...]:
    return objects.project.function(scope).lines.get(name, ()) or (0,)


def _whatever_is_made(objects: Objects, held: Held) -> Held:
    """The same without a word of which call made it, where another turn may have made it too."""
    held = without(unknown_which(held), _is_of_all_turns)
    if held.object is not None and is_made_in_a_loop(objects, held.object):
        return dataclasses.replace(held, object=None)
    return held
