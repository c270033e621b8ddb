"""What displays, comprehensions and operators on containers hold."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator

from nnx_migrate.analysis.domain.containers import is_container as is_python_container
from nnx_migrate.analysis.domain.values import (
    ARRAY,
    PLAIN,
    Located,
    Scope,
)
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.library.return_model import is_dict
from nnx_migrate.analysis.points_to.abstract_objects import (
    Held,
    Object,
    Variable,
    is_some,
    known_as,
    together,
)
from nnx_migrate.analysis.points_to.containers.elements import (
    each_in_turn,
    every,
    same_each_turn,
    spread,
    unknown_which,
    without,
)
from nnx_migrate.analysis.points_to.queries import Objects
from nnx_migrate.analysis.points_to.widening import folded


def container(
    objects: Objects,
    scope: Scope,
    elements: tuple[ir.Expr, ...],
    at: float,
    keys: tuple[str, ...] = (),
) -> Held:
    """What a display holds, under the literals of a dict, or else under places."""
    parts: list[tuple[str, Held]] = []
    if keys:
        return _under_keys(objects, scope, elements, at, keys)
    counted = True
    for each in elements:
        if isinstance(each, ir.Starred):
            held = objects.held(scope, each.value, at)
            if len(elements) == 1 and held.object is not None:
                return held  # a copy of a list, with the same in the same places
            counted = counted and held.is_container and all(name for name, _ in held.parts)
            parts += spread(held, Located(scope, each.value))
        else:
            parts.append(("", objects.held(scope, each, at)))
    return together((str(i) if counted else "", part) for i, (_, part) in enumerate(parts))


def _under_keys(
    objects: Objects,
    scope: Scope,
    elements: tuple[ir.Expr, ...],
    at: float,
    keys: tuple[str, ...],
) -> Held:
    """What a display of a dict holds, with what is unpacked into it: the last under a key."""
    named: dict[str, Held] = {}
    others: list[tuple[str, Held]] = []
    for key, each in zip(keys, elements, strict=True):
        if not isinstance(each, ir.Starred):
            named[key] = objects.held(scope, each, at)
            continue
        held = objects.held(scope, each.value, at)
        parts = held.parts if held.is_container else spread(held, Located(scope, each.value))
        named |= {name: part for name, part in parts if name}
        others += [(name, part) for name, part in parts if not name]
    return together([*named.items(), *others])


def joined(objects: Objects, scope: Scope, operands: tuple[ir.Expr, ...], at: float) -> Held:
    """`xs + ys`, `xs | ys`, `xs * 2`."""
    sides = [(_one_list(_as_list(objects, scope, e, at)), Located(scope, e)) for e in operands]
    lists = [(held, place) for held, place in sides if held.is_container and held.parts]
    parts = [part for held, place in lists for part in spread(held, place)]
    if len(lists) == 1 and len(operands) == 2:
        (other,) = [place for held, place in sides if place is not lists[0][1]]
        times = objects.evaluator.values(scope, other.expr)
        if times and times <= PLAIN | ARRAY:
            parts *= 2
    named = len(lists) == len(operands) and all(name for held, _ in lists for name, _ in held.parts)
    if named and not any(is_dict(objects.evaluator.values(scope, each)) for each in operands):
        return together((str(i), part) for i, (_, part) in enumerate(parts))
    return together(("", part) for _, part in parts)


def _as_list(objects: Objects, scope: Scope, operand: ir.Expr, at: float) -> Held:
    """An operand; of a list of which nobody knows what is in it, each of its elements."""
    held = objects.held(scope, operand, at)
    if held.object is None or held.way != "all":
        return held
    values = objects.evaluator.values(scope, operand)
    if values and all(map(is_python_container, values)) and not is_dict(values):
        return Held(None, spread(held, Located(scope, operand)))
    return held


def _one_list(held: Held) -> Held:
    """One container in the place of one of several."""
    several = held.object is None and held.way != "all"
    return folded(held) if several and all(each.is_container for each in held) else held


def identified(objects: Objects, scope: Scope, found: Held, base: ir.Expr, name: str) -> Held:
    """Some element of what a name means, as the one at a known place of it.

    Which one that is nobody knows, but it is the same one wherever it is read.
    """
    found = known_as(found, name) if is_some(name) else found
    if found.object is not None or found.way != "some" or not isinstance(base, ir.Name):
        return found
    bindings = objects.project.bindings(scope, base.id)
    if not bindings:
        return found
    where = bindings[0].scope
    line = min(objects.project.function(where).lines.get(base.id, (0,)))
    place = Located(scope, ir.Element(base, "" if is_some(name) else name))
    own = Object(Variable(where, base.id, line), (name,), place, base.id)
    return dataclasses.replace(known_as(found, name), object=own)


def in_turns(found: list[Held], made: frozenset[ir.Expr], *, but_each: bool = False) -> Held:
    """What a comprehension gives: all elements, and once more what is the same in each turn.

    Args:
        found: what a turn gives; twice where several turns give the same (`ir` says so).
        made: the calls that are made in each turn.
        but_each: it is known that no turn is left out.
    """

    def is_new(one: Object) -> bool:
        return one.given_by is not None and one.given_by[1] in made

    if len(found) == 1:
        found = [unknown_which(found[0], but_each=but_each)]
    else:
        found = [each_in_turn(each) for each in found]
    told = [without(every(each), is_new) for each in found]
    if len(found) == 1:
        told.append(same_each_turn(without(unknown_which(found[0]), is_new)))
    return together(("", each) for each in told)


def calls_in(exprs: Iterable[ir.Expr]) -> Iterator[ir.Call]:
    """The calls in expressions."""
    for expr in exprs:
        yield from (each for each in ir.parts_of(expr) if isinstance(each, ir.Call))
