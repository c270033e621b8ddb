"""What a call does to the objects that it is given: which of their attributes it makes, replaces or
deletes, whoever writes them, and what of them comes out again.

An object is looked at when a call begins and when it ends. Only what holds what is compared, never
an array or another value of the program, so that it makes no difference whether jax traces.
"""

from __future__ import annotations

import enum
import functools
import sys
from abc import ABCMeta
from collections.abc import Iterable, Iterator, Mapping
from operator import is_
from types import NoneType
from typing import Any, NamedTuple

from nnx_migrate.check.recording.kinds import is_array
from nnx_migrate.sources.facts.seen_objects import UNKNOWN

#: More than that is not looked through.
_MOST_PARTS = 20_000
#: The same of what is looked through at every call.
MOST_ELEMENTS = 64
DEEPEST = 3
_PLAIN: frozenset[type] = frozenset({bool, int, float, complex, str, bytes, NoneType})
_CONTAINERS: frozenset[type] = frozenset({list, tuple, dict})
_OWN = ("_pytree__", "_object__")


class TooMuch(Exception):
    """It holds more than is looked through, or something that nobody can look into."""


class Held(NamedTuple):
    """What an object holds.

    Args:
        parts: by the way to them.
        nodes: the objects and Variables among these, by their identities.
        metadata: what the Variables among these say beside their values, by the way to them.
        shared: whether one of them is in two places.
        plain: whether numbers, texts and the like are among its leaves.
        split: whether streams of an Rngs are split.
    """

    parts: dict[tuple[object, ...], object]
    nodes: dict[int, object]
    metadata: dict[tuple[object, ...], dict[str, object]]
    shared: bool
    plain: bool
    split: bool


class Sort(enum.Enum):
    """What a part is to one who looks through an object.

    Its type says so, but for what JAX alone knows to be a tree: that is OTHER by its type.
    """

    PYTREE = enum.auto()
    VARIABLE = enum.auto()
    STATE = enum.auto()
    CONTAINER = enum.auto()
    ARRAY = enum.auto()
    PLAIN = enum.auto()
    TOLD = enum.auto()
    TREE = enum.auto()
    OTHER = enum.auto()


_NODES = frozenset({Sort.PYTREE, Sort.VARIABLE})
_NO_LEAVES = _NODES | {Sort.CONTAINER, Sort.STATE, Sort.TREE, Sort.ARRAY}
#: The types whose objects jax takes apart, beside those that are known by themselves.
_trees: dict[type, bool] = {}


class MadeAtRunTime:
    """Stands for classes that a metaclass compares by what they say: programs make them as they
    run, thousands of them, and to look one up takes long."""


#: Metaclasses that do no such thing.
_PLAIN_METACLASSES = frozenset({type, ABCMeta, enum.EnumType})


def ordinary(kind: type) -> type:
    """A class, or what stands for one that is not found by its identity (those of sympy)."""
    meta: Any = type(kind)
    if meta in _PLAIN_METACLASSES or meta.__eq__ is type.__eq__:
        return kind
    return MadeAtRunTime


def is_of(value: object, types: frozenset[type]) -> bool:
    """Whether the class of a value is among some, without a word of its metaclass."""
    return ordinary(type(value)) in types


def types_of(values: Iterable[object]) -> tuple[type, ...]:
    """The classes of values, each as it is looked up by."""
    types = tuple(map(type, values))
    if _PLAIN_METACLASSES.issuperset(map(type, types)):
        return types
    return tuple(map(ordinary, types))


def may_hold(value: object) -> bool:
    """Whether a value is an object of nnx, or something that may hold one and can be changed."""
    return is_of(value, _CONTAINERS) or sort_of(value) in (*_NODES, Sort.TREE)


def held(value: object) -> Held:
    """What an object holds now.

    Raises:
        TooMuch: it cannot be said.
    """
    parts: dict[tuple[object, ...], object] = {}
    nodes: dict[int, object] = {}
    metadata: dict[tuple[object, ...], dict[str, object]] = {}
    shared = plain = split = False
    left: list[tuple[tuple[object, ...], object, bool]] = [((), value, False)]
    inside: dict[int, object] = {}
    while left:
        way, part, is_data = left.pop()
        parts[way] = part
        if len(parts) > _MOST_PARTS:
            raise TooMuch
        sort = sort_of(part)
        plain = plain or (is_data and part is not None and sort not in _NO_LEAVES)
        if sort in _NODES:
            if id(part) in nodes:
                shared = True
                continue
            nodes[id(part)] = part
            if sort is Sort.VARIABLE:
                metadata[way] = _metadata(part)
                split = split or _is_split(part)
        elif sort is Sort.CONTAINER:
            if id(part) in inside:
                continue
            inside[id(part)] = part
        marked = vars(part).get("_pytree__nodes", {}) if sort is Sort.PYTREE else None
        for key, each in children(part, sort):
            told = is_data if marked is None else bool(marked.get(key, False))
            left.append(((*way, key), each, told))
    return Held(parts, nodes, metadata, shared, plain, split)


def objects_in(value: object, depth: int = 0) -> Iterator[object]:
    """What a value is or holds that may be changed: objects, States, and trees of other sorts.

    Raises:
        TooMuch: it is larger, or deeper, than what is looked through at every call.
    """
    sort = sort_of(value)
    if sort in _NODES or sort in (Sort.STATE, Sort.TREE):
        yield value
    elif sort is Sort.CONTAINER:
        found = list(children(value, sort))
        if depth == DEEPEST or len(found) > MOST_ELEMENTS:
            raise TooMuch
        for _, each in found:
            yield from objects_in(each, depth + 1)


def changes(before: Held, after: Held) -> frozenset[str]:
    """What happened to an object: `.norm.mean replaced`, `.kernel metadata sharding made`.

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
        elif way in before.metadata:
            happened = _told_of(before.metadata[way], after.metadata.get(way, {}))
            found.update(f"{_named(way, after)} metadata {each}" for each in happened)
    return frozenset(found)


def _told_of(before: Mapping[str, object], after: Mapping[str, object]) -> Iterator[str]:
    """What happened to the metadata of a Variable: most often nothing."""
    if before.keys() == after.keys() and all(map(is_, before.values(), after.values())):
        return
    for name in before.keys() | after.keys():
        shown = name if name.isidentifier() else UNKNOWN
        if name not in after:
            yield f"{shown} deleted"
        elif name not in before:
            yield f"{shown} made"
        elif not _is_equal(before[name], after[name]):
            yield f"{shown} replaced"


def _metadata(variable: object) -> dict[str, object]:
    """What a Variable says beside its value."""
    asked: Any = variable
    return dict(asked.get_metadata())


def _is_equal(one: object, two: object) -> bool:
    """Whether metadata is the same; what cannot be compared is not."""
    if one is two:
        return True
    try:
        return type(one) is type(two) and bool(one == two)
    except Exception:
        return False


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
    return sort_of(part) is not Sort.OTHER


def children(part: object, sort: Sort) -> Iterator[tuple[object, object]]:
    """What a part holds, by its keys.

    Args:
        part: it.
        sort: what it is.
    """
    value: Any = part
    if sort is Sort.PYTREE:
        yield from ((name, each) for name, each in list(vars(part).items()) if not _is_own(name))
    elif sort is Sort.CONTAINER:
        yield from list(value.items()) if isinstance(part, dict) else enumerate(value)
    elif sort is Sort.STATE:
        yield from list(value.raw_mapping.items())
    elif sort is Sort.TREE:
        jax: Any = sys.modules["jax"]
        yield from enumerate(jax.tree_util.default_registry.flatten_one_level(part)[0])


def sort_of(part: object) -> Sort:
    """What a part is."""
    kind: Any = ordinary(type(part))
    sort = _sort(kind)
    if sort is not Sort.OTHER:
        return sort
    known = _trees.get(kind)
    if known is None:
        jax: Any = sys.modules.get("jax")
        known = jax is not None and not jax.tree_util.all_leaves([part])
        _trees[kind] = known
    return Sort.TREE if known else sort


# A type is of the same sort for the whole life of the watched process.
@functools.cache
def _sort(kind: type) -> Sort:
    nnx = _nnx()
    if kind in _PLAIN:
        return Sort.PLAIN
    if nnx is not None:
        if _is_below(kind, nnx.State):
            return Sort.STATE
        if _is_below(kind, getattr(nnx, "Pytree", nnx.Module)):
            return Sort.PYTREE
        if _is_below(kind, nnx.Variable):
            return Sort.VARIABLE
    if issubclass(kind, list | tuple | dict):
        return Sort.CONTAINER
    if is_array(kind):
        return Sort.ARRAY
    return Sort.TOLD if issubclass(kind, enum.Enum) or kind.__name__ == "GraphDef" else Sort.OTHER


def _is_below(kind: type, base: type) -> bool:
    """Whether a class inherits from another; an abstract one would ask all classes below it."""
    return any(each is base for each in kind.__mro__)


def _is_split(variable: object) -> bool:
    """Whether it is the key of a stream of several."""
    if type(variable).__name__ != "RngKey":
        return False
    key: Any = variable
    return bool(getattr(key.get_raw_value(), "shape", ()))


def _is_own(name: object) -> bool:
    return isinstance(name, str) and name.startswith(_OWN)


def _nnx() -> Any:
    return sys.modules.get("flax.nnx")


def _is_same(one: object, two: object) -> bool:
    return one is two or (type(one) is type(two) and is_of(one, _PLAIN) and one == two)


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
