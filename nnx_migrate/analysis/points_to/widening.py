"""What values are told as that would be too much, or without end.

A call may give too many objects to tell apart. An answer that depends on itself grows: `xs = [xs]`
in a loop puts containers into containers, and a function that calls itself with `Holder(m)` puts
objects into objects. It holds one of finitely many values, so what is held deep is told, and not
how deep.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Container, Iterable, Iterator

from nnx_migrate.analysis.domain.values import Scope
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.points_to.abstract_objects import (
    NOTHING,
    REST,
    Anything,
    Held,
    Object,
    anything,
    either,
    is_state,
    together,
)
from nnx_migrate.analysis.points_to.containers.elements import all_objects
from nnx_migrate.analysis.points_to.containers.repeats import repeated
from nnx_migrate.analysis.points_to.repeated_objects import objects

#: So many objects are told apart in what a call gives.
_MOST_MADE = 120

#: And so many that the call does not make, or gives twice.
_MOST_OTHERS = 1_000
#: So many containers, or objects that are not told apart, may be within each other.
_DEEPEST = 2
#: A value of more parts may tell too often of the same objects. Small programs have values of 300
#: parts and 6 objects that settle.
_MANY_PARTS = 1_024
#: So often each is told of at most, on an average. Large values of real projects that settle tell
#: of each up to 18 times.
_MOST_OF_EACH = 32


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
        if each.given_by != via:
            others[each] = None
        elif made is None:
            made = each
    kept = [each for each in others if not _is_part_of_one(each, others)]
    pairs = repeated(held, (_MOST_OTHERS - len(kept)) // 2)
    if pairs is None:
        return anything(found[0].place)
    kept += (each for pair in pairs for each in pair)
    return Held(made, tuple((f"<{place}>", Held(each)) for place, each in enumerate(kept)))


def are_few(held: Held, most: int) -> bool:
    """Whether a value has no more parts than that, each as often as ways lead to it."""
    return _count_of_parts(held, {}) <= most


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


_Part = tuple[str, Held]


def joined(before: Held, found: Held, greatest: Callable[[], Held]) -> Held:
    """What one round tells the next: what was assumed and what was found, folded.

    Args:
        greatest: any objects, once the value tells of the same few in ever new ways.
    """
    if _is_anything(before):
        return before
    held = folded(either((before, found)))
    return greatest() if is_entangled(held) else held


def _is_anything(held: Held) -> bool:
    own = held.object
    return own is not None and isinstance(own.root, Anything) and not own.path


def is_entangled(held: Held) -> bool:
    """Whether a value has many parts and few objects, which are within each other in all orders.

    There are finitely many such values, but a circle of answers may go through millions:
    `graph.edges = [(e[0], new) if e[1] == old else e for e in graph.edges]`.
    """
    parts = _count_of_parts(held, {})
    return parts > _MANY_PARTS and parts > _MOST_OF_EACH * len(set(all_objects(held)))


def _count_of_parts(held: Held, known: dict[int, int]) -> int:
    """How many parts a value has, each as often as ways lead to it."""
    key = id(held)
    if key not in known:
        known[key] = 1 + sum(_count_of_parts(part, known) for part in held)
    return known[key]


def folded(held: Held) -> Held:
    """The same value, where it holds little; less than where that is, where it holds much.

    An object is not told to be in itself, and neither are containers deep in containers. One of
    several containers holds in each place what one of them does. What is in a container more than
    twice is in it twice, what one of several values may be once.
    """
    return _folded(held, 0, ())


def _folded(held: Held, depth: int, around: tuple[Object, ...]) -> Held:
    if _is_container(held):
        if depth == _DEEPEST:
            inside = [_folded(each, depth, around) for each in _outermost(held)]
            return _together(Held(None, tuple(("", each) for each in inside)))
        depth += 1
    if (own := held.object) is not None:
        if own in around:
            held = dataclasses.replace(held, parts=())
        around = (*around, own)
    parts = tuple((name, _folded(part, depth, around)) for name, part in held.parts)
    found = dataclasses.replace(held, parts=parts)
    if held.way == "all":
        return _together(found)
    options = _options(found)
    if held.object is None and len(options) < 2:
        return options[0] if options else NOTHING
    return dataclasses.replace(held, parts=tuple(("", each) for each in options))


def _is_container(held: Held) -> bool:
    return held.object is None and held.way == "all"


def _together(held: Held) -> Held:
    """A value of which all parts are folded, with one container for those that have no names."""
    boxes = [part for name, part in held.parts if not name and _is_container(part)]
    parts = [each for each in held.parts if each[0] or not _is_container(each[1])]
    if len(boxes) == 1:
        parts.append(("", boxes[0]))
    elif boxes:
        inside = [("", each) for box in boxes for each in box]
        parts.append(("", Held(None, tuple(_twice_at_most(inside)))))
    if held.object is None and all(part == NOTHING for _, part in parts):
        return NOTHING
    return dataclasses.replace(held, parts=tuple(_twice_at_most(parts)))


def _twice_at_most(parts: Iterable[_Part]) -> Iterator[_Part]:
    kept: list[_Part] = []
    for each in parts:
        if each[0] or (each[1] != NOTHING and kept.count(each) < 2):
            kept.append(each)
            yield each


def _options(held: Held) -> list[Held]:
    """What one of several folded values is: each object once, and one container."""
    found: dict[tuple[Object | None, str, bool], Held] = {}
    for part in held:
        same = {"either"} if held.way == "either" else {"either", "some"}
        for each in part if part.object is None and part.way in same else (part,):
            if each != NOTHING:
                key = each.object, each.way, each.closed
                found[key] = _either_of(found[key], each) if key in found else each
    return list(found.values())


def _either_of(one: Held, other: Held) -> Held:
    """One of two containers, or what is known in two ways of one object, part for part."""
    if one == other:
        return one
    if one.way != "all":
        both = dataclasses.replace(one, parts=(*one.parts, *other.parts))
        return dataclasses.replace(one, parts=tuple(("", each) for each in _options(both)))
    parts = {name: part for name, part in one.parts if name}
    for name, part in other.parts:
        if name:
            known = parts.get(name, NOTHING)
            parts[name] = _one_of(known, part)
    plain = [each for each in one.parts if not each[0]]
    for each in other.parts:
        if not each[0] and plain.count(each) < other.parts.count(each):
            plain.append(each)
    return dataclasses.replace(one, parts=(*parts.items(), *plain))


def _one_of(one: Held, other: Held) -> Held:
    options = _options(Held(None, (("", one), ("", other)), "either"))
    if len(options) < 2:
        return options[0] if options else NOTHING
    return Held(None, tuple(("", each) for each in options), "either")


def _outermost(held: Held) -> Iterator[Held]:
    """The objects in a value that no other object in it holds."""
    for part in held:
        if part.object is not None:
            yield part
        else:
            yield from _outermost(part)
