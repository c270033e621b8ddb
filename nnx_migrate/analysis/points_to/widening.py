"""What a call gives, where that is too many objects to tell apart."""

from __future__ import annotations

import dataclasses
from collections.abc import Container

from nnx_migrate.analysis.domain.values import Scope
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.points_to.abstract_objects import (
    NOTHING,
    REST,
    Held,
    MadeBy,
    Object,
    anything,
    is_state,
    together,
)
from nnx_migrate.analysis.points_to.repeated_objects import objects, twice

#: So many objects are told apart in what a call gives.
_MOST_MADE = 120


#: And so many that the call does not make, or gives twice.
_MOST_OTHERS = 1_000


def summarized(held: Held, via: tuple[Scope, ir.Call]) -> Held:
    """What a call gives, with one of the objects that it makes for all, where these are many.

    Each call of a function makes objects of its own, so calls of calls multiply them. What is made
    elsewhere stays, and so does what is in the value twice.
    """
    found = [each.object for each in objects(held, guessed=True)]
    if len(found) <= _MOST_MADE:
        return held
    made: Object | None = None
    others: dict[Object, None] = {}
    for each in found:
        if not isinstance(each.root, MadeBy) or each.root.outermost != via:
            others[each] = None
        elif made is None:
            made = each
    repeated = {inner.object: (inner.object, outer.object) for inner, outer in twice(held)}
    whole = (each for each in others if not _is_part_of_one(each, others))
    kept = [*whole, *(each for pair in repeated.values() for each in pair)]
    if len(kept) > _MOST_OTHERS:
        return anything(found[0].place)
    return Held(made, tuple((f"<{place}>", Held(each)) for place, each in enumerate(kept)))


def flat(held: Held) -> Held:
    """The same objects with as few containers around them as can be, each object twice at most.

    Functions that call themselves with `(first, rest)` put containers into containers without end.
    """
    if held.closed:
        return Held(held.object, closed=True)
    parts: list[Held] = []
    for each in map(flat, held):
        spliced = each.object is None and each.way == held.way
        parts += each if spliced else [each] if each != NOTHING else []
    often = 1 if held.way == "either" else 2
    kept = [each for place, each in enumerate(parts) if parts[:place].count(each) < often]
    if held.object is None and len(kept) < 2:
        return kept[0] if kept else NOTHING
    return Held(held.object, tuple(("", each) for each in kept), held.way)


def roughly(held: Held) -> Held:
    """The same with some part of an object for each part, in one container."""
    counts = _counts(held)
    return together(("", Held(each)) for each, times in counts.items() for _ in range(times))


def _counts(held: Held) -> dict[Object, int]:
    """Which objects, or some parts of them, are in a value, and whether they are there twice."""
    counts: dict[Object, int] = {}
    own = held.object
    if own is not None:
        state = own.path[-1:] if own.path and is_state(own.path[-1]) else ()
        counts[dataclasses.replace(own, path=(REST, *state)) if own.path else own] = 1
    for part in () if held.closed else held:
        for each, times in _counts(part).items():
            known = counts.get(each, 0)
            counts[each] = min(known + times, 2) if held.way == "all" else max(known, times)
    return counts


def _is_part_of_one(part: Object, others: Container[Object]) -> bool:
    """Whether an object that a part belongs to is there too: beside it, the part would be twice."""
    above = (dataclasses.replace(part, path=part.path[:end]) for end in range(len(part.path)))
    return any(each in others for each in above)
