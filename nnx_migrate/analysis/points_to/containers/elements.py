"""Elements of values: under a place or a key, all of them, those of the turns of a loop."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Collection, Iterator

from nnx_migrate.analysis.domain.values import Located
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.points_to.abstract_objects import (
    ALL_TURNS,
    EACH,
    NOTHING,
    SOME,
    Held,
    Object,
    attribute,
    either,
    element,
    is_some,
    known_as,
    mapped,
    together,
)


def unknown_which(held: Held, but_each: bool = False) -> Held:
    """The same, where it is not known any more which elements the names on paths stand for.

    Args:
        but_each: where it is each one in turn, it stays that.
    """
    return mapped(held, functools.partial(_of_any_element, but_each=but_each))


def _of_any_element(held: Held, but_each: bool) -> Held:
    own = held.object
    found = own if own is None else any_element(own, but_each)
    return held if found is own else dataclasses.replace(held, object=found)


def each_in_turn(held: Held) -> Held:
    """The same, where the names on paths stand for all elements, one after the other."""
    return mapped(held, _of_each_element)


def _of_each_element(held: Held) -> Held:
    own = held.object
    if own is None or not any(map(is_some, own.path)):
        return held
    path = tuple(EACH if is_some(name) else name for name in own.path)
    return dataclasses.replace(held, object=dataclasses.replace(own, path=path))


def any_element(one: Object, but_each: bool = False, but: Collection[str] = frozenset()) -> Object:
    """An object that is an element, of which it is not known any more which one.

    Args:
        but_each: where it is each one in turn, it stays that.
        but: of these it is known.
    """
    if not any(map(is_some, one.path)):
        return one
    path: list[str] = []
    for name in one.path:
        if not is_some(name) or name in but or (but_each and name == EACH):
            path.append(name)
        elif path[-1:] != [SOME]:
            path.append(SOME)
    return dataclasses.replace(one, path=tuple(path))


def at_index(held: Held, index: int, place: Located) -> Held:
    if held.way == "either" and held.object is None:
        return either(at_index(each, index, place) for each in held)
    if held.is_container:
        named = all(name for name, _ in held.parts)
        if index < 0 and named:
            index += len(held.parts)
        return attribute(held, str(index), place) if named else element(held, place)
    return attribute(held, str(index), place)


def sliced(held: Held, bounds: tuple[ir.Expr, ...], place: Located) -> Held:
    """`held[a:b]`: where the bounds are literals, it is known which elements."""
    if held.way == "either" and bounds:
        return either(sliced(each, bounds, place) for each in held)
    match bounds:
        case (ir.Constant(text=text),) if held.is_container and all(n for n, _ in held.parts):
            first, last = (int(each) if each else None for each in text.split(":"))
            elements = [part for _, part in held.parts][first:last]
            return together((str(i), part) for i, part in enumerate(elements))
        case (ir.Constant(text=text),) if held.object is not None and held.way == "all":
            return attribute(Held(held.object), text, place)
        case (ir.Constant(text=text),):
            return _some_of_all_turns(held, text, place)
        case _:
            return _some_of_all_turns(held, SOME, place)


def _some_of_all_turns(held: Held, which: str, place: Located) -> Held:
    """A container with all that another one has, and of what the turns of a loop put in, some."""
    parts = spread(held, place) if held.parts else ()
    return Held(
        None,
        tuple(
            (name, attribute(part, which, place) if _is_of_all_turns(part) else part)
            for name, part in parts
        ),
    )


def _is_of_all_turns(held: Held) -> bool:
    """Whether it is all that the turns of a loop put into a container."""
    return held.object is not None and held.object.path[-1:] == (ALL_TURNS,)


def at_key(held: Held, key: str, place: Located) -> Held:
    """The element of a dict under a literal; some element of it where nobody knows which one."""
    if held.way == "either" and held.object is None:
        return either(at_key(each, key, place) for each in held)
    if held.is_container:
        known = key in (name for name, _ in held.parts)
        return attribute(held, key, place) if known else element(held, place)
    return attribute(held, key, place)


def again(held: Held) -> Held:
    """A container that has the same more than once."""
    return together([("", held), ("", held)])


def spread(held: Held, place: Located) -> tuple[tuple[str, Held], ...]:
    """What `*value` puts into a container."""
    if held.is_container:
        return tuple(("", part) for part in held)
    each = held if held.object is None else known_as(element(held, place), EACH)
    return (("", each),)


def every(held: Held) -> Held:
    """What a comprehension gives that gives this in each turn: all for some."""
    parts = tuple((name, every(part)) for name, part in held.parts)
    return dataclasses.replace(held, parts=parts, way="all" if held.way == "some" else held.way)


def same_each_turn(held: Held) -> Held:
    """What of it is there in each turn of a loop: nothing that is some one of several."""
    if held.way == "some":
        return NOTHING
    parts = tuple((name, same_each_turn(part)) for name, part in held.parts)
    return dataclasses.replace(held, parts=parts)


def without(held: Held, gone: Callable[[Object], bool]) -> Held:
    """The value with no word of certain objects, other than of what these hold."""
    own = held.object if held.object is not None and not gone(held.object) else None
    parts = tuple((name, without(part, gone)) for name, part in held.parts)
    return Held(own, parts, held.way, held.closed)


def all_objects(held: Held) -> Iterator[Object]:
    """All objects in a value, also in what jax does not look into: a function may unpack it."""
    seen: set[int] = set()
    waiting = [held]
    while waiting:
        each = waiting.pop()
        if id(each) not in seen:
            seen.add(id(each))
            if each.object is not None:
                yield each.object
            waiting += each
