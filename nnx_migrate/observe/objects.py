"""What a call does to the objects that it is given: which of their attributes it makes, replaces or
deletes, whoever writes them, and what of them comes out again.

An object is looked at when a call begins and when it ends. Only what holds what is compared, never
an array or another value of the program, so that it makes no difference whether jax traces.
"""

from __future__ import annotations

import enum
import sys
from collections.abc import Callable, Iterator, Mapping
from types import NoneType
from typing import Any, NamedTuple

from nnx_migrate.check.recording.kinds import is_array
from nnx_migrate.sources.facts.seen_objects import UNKNOWN

#: More than that is not looked through.
_MOST_PARTS = 20_000
_PLAIN = frozenset({bool, int, float, complex, str, bytes, NoneType})
_OWN = ("_pytree__", "_object__")


class TooMuch(Exception):
    """It holds more than is looked through, or something that nobody can look into."""


class Held(NamedTuple):
    """What an object holds.

    Args:
        parts: by the way to them.
        nodes: the objects and Variables among these, by their identities.
        shared: whether one of them is in two places.
        plain: whether numbers, texts and the like are among its leaves.
        split: whether streams of an Rngs are split.
    """

    parts: dict[tuple[object, ...], object]
    nodes: dict[int, object]
    shared: bool
    plain: bool
    split: bool


def may_hold(value: object) -> bool:
    """Whether a value is an object of nnx, or something that may hold one and can be changed."""
    return type(value) in (list, tuple, dict) or (_nnx() is not None and _is_node(value))


def held(value: object) -> Held:
    """What an object holds now.

    Raises:
        TooMuch: it cannot be said.
    """
    parts: dict[tuple[object, ...], object] = {}
    nodes: dict[int, object] = {}
    shared = plain = split = False
    left: list[tuple[tuple[object, ...], object, bool]] = [((), value, False)]
    inside: dict[int, object] = {}
    while left:
        way, part, is_data = left.pop()
        parts[way] = part
        plain = plain or (is_data and _is_no_array(part))
        split = split or _is_split(part)
        if len(parts) > _MOST_PARTS:
            raise TooMuch
        if _is_node(part):
            if id(part) in nodes:
                shared = True
                continue
            nodes[id(part)] = part
        elif isinstance(part, list | dict):
            if id(part) in inside:
                continue
            inside[id(part)] = part
        data = _data_of(part, is_data)
        left.extend(((*way, key), each, data(key)) for key, each in _parts(part))
    return Held(parts, nodes, shared, plain, split)


def changes(before: Held, after: Held) -> frozenset[str]:
    """What happened to an object: `.norm.mean replaced`.

    Args:
        before: what it held when the call began.
        after: what it held when it ended.
    """
    found: set[str] = set()
    for way in before.parts.keys() | after.parts.keys():
        if way not in after.parts:
            found.add(f"{_named(way, before)} deleted")
        elif way not in before.parts:
            found.add(f"{_named(way, after)} made")
        elif not _is_same(before.parts[way], after.parts[way]):
            found.add(f"{_named(way, after)} replaced")
    return frozenset(found)


def comes_out(before: Held, result: object) -> bool:
    """Whether what a call returns holds a part of what it was given, or cannot be looked into."""
    try:
        found = held(result)
    except TooMuch:
        return True
    if not before.nodes.keys().isdisjoint(found.nodes):
        return True
    return not all(map(_is_told, found.parts.values()))


def _is_told(part: object) -> bool:
    """Whether a part is nothing that could hold an object out of sight."""
    kind = type(part)
    return (
        kind in _PLAIN
        or isinstance(part, list | tuple | dict | enum.Enum)
        or _is_node(part)
        or _is_state(part)
        or is_array(kind)
        or kind.__name__ == "GraphDef"
    )


def _parts(part: object) -> Iterator[tuple[object, object]]:
    nnx = _nnx()
    if isinstance(part, dict):
        yield from list(part.items())
    elif isinstance(part, list | tuple):
        yield from enumerate(part)
    elif nnx is not None and isinstance(part, _pytrees(nnx)):
        kept = vars(part)
        yield from ((name, each) for name, each in list(kept.items()) if not _is_own(name))
    elif _is_state(part):
        mapping: Any = part
        yield from list(mapping.raw_mapping.items())


def _data_of(part: object, is_data: bool) -> Callable[[object], bool]:
    """Says of what a part holds whether it is data: of objects what their class says of it."""
    nnx = _nnx()
    if nnx is None or not isinstance(part, _pytrees(nnx)):
        return lambda _key: is_data
    marked = vars(part).get("_pytree__nodes", {})
    return lambda key: bool(marked.get(key, False))


def _is_no_array(leaf: object) -> bool:
    held = isinstance(leaf, list | tuple | dict) or _is_node(leaf) or _is_state(leaf)
    return not (leaf is None or held or is_array(type(leaf)))


def _is_split(part: object) -> bool:
    """Whether it is the key of a stream of several."""
    if type(part).__name__ != "RngKey" or not _is_node(part):
        return False
    key: Any = part
    return bool(getattr(key.get_raw_value(), "shape", ()))


def _is_own(name: object) -> bool:
    return isinstance(name, str) and name.startswith(_OWN)


def _is_node(part: object) -> bool:
    nnx = _nnx()
    return nnx is not None and isinstance(part, (*_pytrees(nnx), nnx.Variable))


def _is_state(part: object) -> bool:
    nnx = _nnx()
    return nnx is not None and isinstance(part, nnx.State)


def _pytrees(nnx: Any) -> tuple[type, ...]:
    return (getattr(nnx, "Pytree", nnx.Module),)


def _nnx() -> Any:
    return sys.modules.get("flax.nnx")


def _is_same(one: object, two: object) -> bool:
    return one is two or (type(one) is type(two) and type(one) in _PLAIN and one == two)


def _named(way: tuple[object, ...], of: Held) -> str:
    """The attributes on a way; keys of dictionaries may be data, and are not told."""
    words: list[str] = []
    for place, key in enumerate(way):
        holder = of.parts.get(way[:place])
        attribute = isinstance(key, str) and key.isidentifier() and not _is_container(holder)
        words.append(f".{key}" if attribute else "[]")
    return "".join(words) or UNKNOWN


def _is_container(part: object) -> bool:
    nnx = _nnx()
    ours = (getattr(nnx, "List", list), getattr(nnx, "Dict", dict)) if nnx is not None else ()
    return isinstance(part, (list, tuple, dict, Mapping, *ours))
