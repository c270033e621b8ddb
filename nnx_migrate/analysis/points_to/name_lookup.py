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
from nnx_migrate.analysis.flax.names import layer_of
from nnx_migrate.analysis.heap.container_elements import are_under_keys, has_places, told_apart
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.ir.lowering.expressions import is_new_container
from nnx_migrate.analysis.points_to.abstract_objects import (
    NOTHING,
    Held,
    Object,
    Variable,
    called,
    either,
    is_element,
    is_untold,
    together,
    under_keys,
)
from nnx_migrate.analysis.points_to.call_results import in_terms_of
from nnx_migrate.analysis.points_to.containers.displays import calls_in, identified
from nnx_migrate.analysis.points_to.containers.elements import spread, without
from nnx_migrate.analysis.points_to.containers.literals import lines_of, with_lines, with_places
from nnx_migrate.analysis.points_to.containers.places import as_bound
from nnx_migrate.analysis.points_to.queries import LAST, Filled, Objects
from nnx_migrate.analysis.points_to.repeated_objects import objects as every_object
from nnx_migrate.analysis.points_to.stores.by_then import with_stored
from nnx_migrate.analysis.points_to.stores.puts import PUTTING
from nnx_migrate.analysis.points_to.stores.turns import (
    is_in_a_loop,
    is_made_in_a_loop,
    put_in_turns,
    same_in_turns,
    whatever_is_made,
    without_elements,
)
from nnx_migrate.analysis.symbols.program import Binding
from nnx_migrate.analysis.symbols.reaching_definitions import at_line, reaching

#: A name that is bound more often is asked for from the top.
_MANY_BINDINGS = 8


def named(objects: Objects, scope: Scope, name: str, at: float, filled: Filled = "all") -> Held:
    """What a name gives.

    Args:
        filled: which part counts of what is put into a container.
    """
    bindings = objects.project.bindings(scope, name)
    if not bindings:
        return NOTHING
    where = bindings[0].scope
    if _is_bound_once(objects, where, name, bindings) and isinstance(bindings[0], Located):
        line, asked = lines_of(objects, where, name)[0], at
        at = _before(line) if where == scope else LAST
        held = called(objects.held(where, bindings[0].expr, at), name)
        if is_new_container(bindings[0].expr) and objects.stored(where, name):
            held = _grown(objects, scope, name, LAST)
        if line and (held.way == "some" or is_untold(held)):
            return _one_by_name(held, where, name, line)
        return with_stored(objects, where, name, held, asked if where == scope else LAST)
    if isinstance(bindings[0], ParameterOf) and len(bindings) == 1:
        if (
            filled == "on entry"
            and where == scope
            and _gets_nothing_before(objects, where, name, at)
        ):
            return _parameter(where, name)
        return _parameter_with_stored(objects, where, name)
    at = at if where == scope else LAST
    own = (each for each in bindings if isinstance(each, Located) and each.scope == where)
    if any(is_new_container(each.expr) for each in own):
        if (made := _filled_by_itself(objects, where, name)) is not None:
            expr, line = made
            held = called(objects.held(where, expr, _before(line)), name)
            return with_stored(objects, where, name, held)
        held = _grown(objects, scope, name, at, filled)
        first = min(line for _, line in with_lines(objects, scope, name))
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
    place = " ".join(as_bound(objects, scope, each, at) for each in index)
    return identified(objects, scope, found, base, f"[{place}]")


def _one_by_name(held: Held, scope: Scope, name: str, line: int) -> Held:
    """What nobody knows which one it is, but it is the same one wherever the name stands."""
    one = Object(Variable(scope, name, line), (), Located(scope, ir.Name(name)), name)
    return dataclasses.replace(held, object=one)


def _is_bound_once(objects: Objects, where: Scope, name: str, bindings: Sequence[Binding]) -> bool:
    """Whether nothing else has that name anywhere, be it above the code that reads it."""
    return len(bindings) == 1 >= len(objects.project.function(where).bindings.get(name, ()))


def _parameter_with_stored(objects: Objects, scope: Scope, name: str) -> Held:
    """What a function is passed, with what it stores in it; of a method's own object not that."""
    passed = _parameter(scope, name)
    function = objects.project.function(scope)
    if function.owner is not None and function.parameters[0].name == name:
        return passed
    if any(is_element(place[0]) for place, _, _ in objects.stored(scope, name) if len(place) == 1):
        return _grown(objects, scope, name, LAST)
    return with_stored(objects, scope, name, passed)


def _gets_nothing_before(objects: Objects, scope: Scope, name: str, at: float) -> bool:
    """Whether nothing is put into what a parameter is passed before a loop on a line begins."""
    have_run = _lines_run(objects, scope, at, entering=True)
    return at != LAST and not any(have_run(line) for _, _, line in objects.stored(scope, name))


def _before(line: int) -> float:
    """A place on a line, before that binds anything."""
    return line - 0.5 if line else LAST


def _bound_again(objects: Objects, scope: Scope, name: str, at: float) -> Held:
    """A variable that is bound more than once, as it is at a line."""
    where = objects.project.bindings(scope, name)[0].scope
    _ask_in_order(objects, scope, name, at)
    bound = objects.bound(scope, name, tuple(_reaching(objects, scope, name, at)))
    options = bound.parts if bound.way == "either" else (("", bound),)
    version = max((line for _, line in with_lines(objects, scope, name) if line < at), default=0)
    known = Object(Variable(where, name, version), (), Located(scope, ir.Name(name)), name)
    return Held(known if version else None, options, "either")


def _ask_in_order(objects: Objects, scope: Scope, name: str, at: float) -> None:
    """Ask what a name is bound to from the top, where each line may ask for the one above.

    From the bottom, a name that is bound hundreds of times would open hundreds of questions.
    """
    bound = list(with_lines(objects, scope, name))
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
            if not _is_what_it_was(objects, held, Variable(binding.scope, name, line), bound):
                options.append(whatever_is_made(objects, held))
    return Held(None, tuple(("", each) for each in options), "either")


def _is_what_it_was(
    objects: Objects, held: Held, bound: Variable, others: tuple[tuple[Binding, int], ...]
) -> bool:
    """Whether a loop binds a variable to what it was before, as `model, loss = step(model)` does.

    What that may be is known from the other bindings. Told again it would hold itself.

    Args:
        bound: the variable, with the line that binds it.
        others: all that it may be bound to, with that.
    """
    own = held.object
    if own is None or own.path or not isinstance(own.root, Variable) or len(others) < 2:
        return False
    if (own.root.scope, own.root.name) != (bound.scope, bound.name):
        return False
    before = _reaching(objects, bound.scope, bound.name, _before(bound.version))
    return own.root.version > 0 and {*before}.issubset(others)


def _parameter(scope: Scope, name: str) -> Held:
    return Held(Object(Variable(scope, name, 0), (), Located(scope, ir.Name(name)), name))


def _reaching(
    objects: Objects, scope: Scope, name: str, at: float, grown: frozenset[int] = frozenset()
) -> Iterator[tuple[Binding, int]]:
    """What a variable may be bound to at a line: above it, or in a loop around it, or elsewhere.

    What every run binds it to anew, above the line, stands for all that it was before.

    Args:
        grown: lines that bind it to what it was, with more in it.
    """
    if at == LAST:
        yield from with_lines(objects, scope, name)
        return
    where = objects.project.bindings(scope, name)[0].scope
    definitions = objects.project.function(where).definitions.get(name, ())
    reached = reaching(definitions, at_line(at), grown)
    for binding, place in with_places(objects, scope, name):
        if place is None:
            reaches = binding.scope != where or reached.from_above
        else:
            reaches = not definitions or place in reached.places
        if reaches:
            yield binding, 0 if place is None else lines_of(objects, where, name)[place]


def _lines_run(
    objects: Objects, scope: Scope, at: float, *, entering: bool
) -> Callable[[int], bool]:
    """Whether a line may have run before another one: it is above, or in a loop around that."""
    first = math.ceil(at) - entering
    loops = objects.project.function(scope).loops
    around = [(start, end) for start, end in loops if start <= first and math.ceil(at) <= end]
    return lambda line: line < at or any(start <= line <= end for start, end in around)


def _made_and_grown(
    objects: Objects, scope: Scope, name: str
) -> tuple[list[tuple[ir.Expr, int]], list[tuple[ir.Expr, int]]]:
    """What a name is bound to, and what is put into that, each with its line."""
    where = objects.project.bindings(scope, name)[0].scope
    bound = [
        (each.expr, line)
        for each, line in with_lines(objects, scope, name)
        if isinstance(each, Located) and each.scope == where
    ]
    return told_apart(objects.project.function(where), name, bound)


def _filled_by_itself(objects: Objects, scope: Scope, name: str) -> tuple[ir.Expr, int] | None:
    """The one object of a name that has methods of its own for what puts things into containers."""
    bound, _ = _made_and_grown(objects, scope, name)
    made = [each for each in bound if not isinstance(each[0], ir.Sequence)]
    if len(made) != 1:
        return None
    classes = {
        value.class_name
        for value in objects.evaluator.values(scope, made[0][0])
        if isinstance(value, Instance) and layer_of(value.class_name) is None
    }
    own = (objects.hierarchy.method(each, name) for each in classes for name in PUTTING)
    return made[0] if any(isinstance(method, Scope) for method in own) else None


def _grown(objects: Objects, scope: Scope, name: str, at: float, filled: Filled = "all") -> Held:
    """A list or the like, with what is put into it, also behind a line: it may have more names.

    Of several that a name is bound to, each has what is put into it while the name means it.
    """
    where = objects.project.bindings(scope, name)[0].scope
    made, grown = _made_and_grown(objects, scope, name)
    if filled != "all" and at != LAST:
        have_run = _lines_run(objects, where, at, entering=filled == "on entry")
        grown = [each for each in grown if have_run(each[1])]
    more = frozenset(line for _, line in grown)
    reaching = list(_reaching(objects, scope, name, at, more))
    given = [_parameter(b.scope, name) for b, _ in reaching if isinstance(b, ParameterOf)]
    lines = {line for _, line in reaching}
    reached = [each for each in made if each[1] in lines]
    if len(made) < 2 or given or objects.stored(scope, name):
        options = [*given, *(_as_called(objects, where, *each) for each in reached)]
        return _filled(objects, scope, name, either(options), made, grown)
    met = {line: {b for _, b in _reaching(objects, scope, name, line, more)} for line in more}
    each_filled = []
    for one in reached:
        first = _as_called(objects, where, *one)
        put = [each for each in grown if one[1] in met[each[1]]]
        each_filled.append(_filled(objects, scope, name, first, [one], put))
    return either(each_filled)


def _filled(
    objects: Objects,
    scope: Scope,
    name: str,
    first: Held,
    made: Sequence[tuple[ir.Expr, int]],
    grown: Sequence[tuple[ir.Expr, int]],
) -> Held:
    """A list or the like that a name is bound to, with what is put into it.

    Args:
        first: what it holds at first.
        made: what makes it, with the line.
        grown: what is put into it, each with its line.
    """
    where = objects.project.bindings(scope, name)[0].scope
    later = [objects.held(where, each, _before(line)) for each, line in grown]
    by_calls = _put_by_calls(objects, where, name)
    if not any(each.parts or each.object for each in (*later, *by_calls)):
        return first
    put, again = [], []
    renewed = _lines_that_renew(objects, where, name)
    for (expr, line), held in zip(grown, later, strict=True):
        if line in renewed:
            held = without_elements(held, ir.Name(name))
        put.append(put_in_turns(objects, where, held, line))
        if any(is_in_a_loop(objects, where, call.line) for call in calls_in((expr,))):
            same = same_in_turns(objects, held)
            again += [] if is_untold(same) else [same]
    under = are_under_keys(each for each, _ in grown) and all(has_places(each) for each, _ in made)
    if under and all(each.parts and each.parts[0][0] for each in by_calls):
        return under_keys((first, *later, *again, *by_calls))
    here = Located(where, ir.Name(name))
    is_new = functools.partial(is_made_in_a_loop, objects)
    start = without(first, is_new)
    if start.parts and is_untold(start):
        line = min(line for _, line in with_lines(objects, scope, name))
        start = _one_by_name(start, where, name, line) if line else start
    containers = (start, *put, *again, *by_calls)
    return together(("", part) for each in containers for _, part in spread(each, here))


def _lines_that_renew(objects: Objects, scope: Scope, name: str) -> set[int]:
    """Where elements of a container are replaced by what is made of them: `xs[i] = f(xs[i])`."""
    writes = objects.project.function(scope).writes
    return {write.line for write in writes if write.renews and write.target == ir.Name(name)}


def _as_called(objects: Objects, scope: Scope, expr: ir.Expr, line: int) -> Held:
    """What is bound on a line; what a nested function puts into a container as calls pass it."""
    held = objects.held(scope, expr, _before(line))
    if not isinstance(expr, ir.Within):
        return held
    inner = Scope(scope.module, expr.key)
    roots = (each.object.root for each in every_object(held, guessed=True))
    if not any(isinstance(r, Variable) and r.scope == inner and not r.version for r in roots):
        return held
    given = []
    for where, call, value in objects.evaluator.callers.of(inner):
        if not value.bound:
            objects.rests_on.read(where.module)
            told = in_terms_of(objects, inner, held, call, {}, (where, call), call.line)
            given.append(put_in_turns(objects, where, told, call.line))
    return together(part for each in given for part in each.parts) if given else held


def _put_by_calls(objects: Objects, scope: Scope, name: str) -> list[Held]:
    """What functions put into a container that they are passed, each as a container of it."""
    found: dict[str, list[Held]] = {}
    for place, held, _ in objects.stored(scope, name):
        if len(place) == 1:
            found.setdefault(place[0], []).append(held)
    return [
        together([("" if is_element(place) else place, either(options))])
        for place, options in found.items()
    ]
