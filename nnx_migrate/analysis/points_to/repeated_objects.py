"""Which objects are in a value, and which are in it twice."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Iterator, Sequence, Set

from nnx_migrate.analysis.domain.values import Located
from nnx_migrate.analysis.ir.records import record
from nnx_migrate.analysis.points_to.abstract_objects import (
    EACH,
    NOTHING,
    REST,
    SOME,
    Held,
    Object,
    Root,
    is_place,
    is_state,
)

_Path = tuple[str, ...]


@record
class Found:
    """An object in a value, and the outermost object that keeps it, if one does."""

    object: Object
    holder: Object | None = None


#: A part of a value and what keeps it, by identity: of one value only, while that is there.
_Visited = set[tuple[int, int]]


def objects(held: Held, guessed: bool = False, holder: Object | None = None) -> list[Found]:
    """The objects in a value, those that others keep included.

    A part that is reached in several ways is looked into once: there may be thousands of ways.

    Args:
        guessed: include all those of which it is some one.
        holder: what keeps the value.
    """
    found: list[Found] = []
    _add_objects(held, guessed, holder, set(), found)
    return found


def _add_objects(
    held: Held, guessed: bool, holder: Object | None, visited: _Visited, found: list[Found]
) -> None:
    if _is_visited(held, holder, visited):
        return
    if held.object is not None:
        found.append(Found(held.object, holder))
        if held.way == "all":
            holder = holder or held.object
    parts = () if held.closed else held.parts
    if held.way == "some" and not guessed:
        parts = parts[:1] if len(set(held)) == 1 else ()
    for _, part in parts:
        _add_objects(part, guessed, holder, visited, found)


def _is_visited(held: Held, holder: Object | None, visited: _Visited) -> bool:
    key = id(held), id(holder)
    known = key in visited
    visited.add(key)
    return known


def choices(held: Held, holder: Object | None = None) -> list[tuple[Found, ...]]:
    """Each part of a value of which it is known which objects it may be, and not which it is."""
    found: list[tuple[Found, ...]] = []
    _add_choices(held, holder, set(), found)
    return found


def _add_choices(
    held: Held, holder: Object | None, visited: _Visited, found: list[tuple[Found, ...]]
) -> None:
    if held.closed or _is_visited(held, holder, visited):
        return
    holder = holder or held.object
    if held.way == "some":
        parts = [each for each in _each_option(held) if each != NOTHING]
        options = tuple(Found(each.object, holder) for each in parts if each.object is not None)
        if options and len(options) == len(parts):
            found.append(options)
        return
    for _, part in held.parts:
        _add_choices(part, holder, visited, found)


def has_choices(held: Held) -> bool:
    """Whether some part of a value may be one of several objects that are known."""
    return any(len(options) > 1 for options in choices(held))


def _each_option(held: Held) -> Iterator[Held]:
    """What some one of several may be, and what that may be where it is some one of several."""
    for each in held:
        if each.object is not None or each.way == "all":
            yield each
        if each.way == "some":
            yield from _each_option(each)


def choices_on_several(sides: Sequence[Held]) -> Iterator[tuple[Found, Found]]:
    """What some one of several objects may be, where that is on another side for sure."""
    told = [[each for each in choices(side) if len(each) > 1] for side in sides]
    wanted = {option.object for several in told for options in several for option in options}
    if not wanted:
        return
    on_sides = _by_side(sides, wanted)
    for i, several in enumerate(told):
        for options in several:
            # Each is looked up once for all sides, of which a value has hundreds.
            met = [(option, on_sides.get(option.object, {})) for option in options]
            for j in sorted({side for _, found in met for side in found} - {i}):
                for option, found in met:
                    if j in found:
                        yield option, found[j]


def _by_side(sides: Sequence[Held], wanted: Set[Object]) -> dict[Object, dict[int, Found]]:
    """Where certain objects are for sure: on each side the last of them."""
    paths = {each.path for each in wanted}  # most objects are none of these, which a path says
    found: dict[Object, dict[int, Found]] = {}
    for side, held in enumerate(sides):
        for each in objects(held):
            if each.object.path in paths and each.object in wanted:
                found.setdefault(each.object, {})[side] = each
    return found


def twice(held: Held) -> Iterator[tuple[Found, Found]]:
    """Pairs of objects in a value of which the first is the second, or a part of it."""
    return _twice(held, None, set()) if may_repeat(held) else iter(())


def may_repeat(held: Held) -> bool:
    """Whether an object can be in a value twice, or beside a part of it.

    Most values are done with by this: it looks at each part once, and `_twice` at all that is in a
    part anew for each container around it.
    """
    paths: dict[Root, set[tuple[str, ...]]] = {}
    seen: set[int] = set()
    waiting = [held]
    while waiting:
        each = waiting.pop()
        if each.object is None and not each.parts:
            continue
        if id(each) in seen:
            return True
        seen.add(id(each))
        if each.object is not None:
            of_root = paths.setdefault(each.object.root, set())
            if each.object.path in of_root:
                return True
            of_root.add(each.object.path)
        if not each.closed:
            waiting += each
    return any(
        above != path and above in of_root
        for of_root in paths.values()
        if len(of_root) > 1
        for turned in [_turned(of_root)]
        for path in of_root
        for above in itertools.chain(_around(path), _met_in_turn(path, turned))
    )


def _around(path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """The path, and all that lead, or may lead, to what it is in."""
    known = path[:-1] if path[-1:] == (REST,) else path
    for length in range(len(known)):
        yield known[:length]
        yield (*known[:length], REST)
    yield known
    if known != path:
        yield path


def _turned(paths: Collection[_Path]) -> tuple[_Path, ...]:
    """All paths, where some lead to each element in turn; none where none does."""
    return tuple(paths) if any(EACH in path for path in paths) else ()


def _met_in_turn(path: _Path, others: Iterable[_Path]) -> Iterator[_Path]:
    """Of other paths those that lead to what each element in turn is once, or the other way."""
    turns = EACH in path
    for other in others:
        met = (turns or EACH in other) and len(other) <= len(path)
        if met and other != path[: len(other)] and all(map(_may_be_one, path, other)):
            yield other


def _may_be_one(one: str, other: str) -> bool:
    literal = other if one == EACH else one
    return one == other or (EACH in {one, other} and is_place(literal))


def _twice(held: Held, holder: Object | None, visited: _Visited) -> Iterator[tuple[Found, Found]]:
    if held.closed or _is_visited(held, holder, visited):
        return
    holder = held.object or holder
    for part in held:
        # Of most parts one look at each says that there is nothing to be found.
        if may_repeat(part):
            yield from _twice(part, holder, visited)
    if held.way == "all" and len(held.parts) > 1:
        yield from on_several([objects(part, holder=holder) for part in held])
        yield from choices_on_several(tuple(held))


def on_several(sides: Sequence[Sequence[Found]]) -> Iterator[tuple[Found, Found]]:
    """What is on more than one side, each pair with the part of the other in front.

    Looked up by where an object comes from, and each pair given once: a value may hold thousands,
    many of them the same, and to compare each with each would take minutes.
    """
    if not _may_meet(sides):
        return
    index: dict[Root, dict[tuple[str, ...], _Occurrences]] = {}
    for side, on_side in enumerate(sides):
        for place, found in enumerate(on_side):
            by_path = index.setdefault(found.object.root, {})
            by_path.setdefault(found.object.path, _Occurrences()).add(side, place, found)
    pairs = [
        pair
        for by_path in index.values()
        for turned in [_turned(by_path)]
        for path, inside in by_path.items()
        for above in itertools.chain(_around(path), _met_in_turn(path, turned))
        if SOME not in above and above in by_path
        for pair in inside.within(by_path[above])
    ]
    for inner, outer in sorted(pairs, key=_order_of_pair):
        yield inner.found, outer.found


class Paths:
    """Where the objects on a side come from, and by which paths.

    Args:
        side: the objects.
    """

    def __init__(self, side: Iterable[Found] = ()) -> None:
        self._paths: dict[Root, set[_Path]] = {}
        self._around: dict[Root, set[_Path]] = {}
        for found in side:
            self._paths.setdefault(found.object.root, set()).add(found.object.path)
        for root, paths in self._paths.items():
            self._around[root] = {above for path in paths for above in _around(path)}

    def may_meet(self, other: Paths) -> bool:
        """Whether an object of one side can be one of the other, or a part of it.

        Most have nothing in common, which takes a look at each object.
        """
        for root, paths in self._paths.items():
            others = other._paths.get(root)
            if others is None:
                continue
            if not (
                self._around[root].isdisjoint(others) and other._around[root].isdisjoint(paths)
            ):
                return True
            if _turned(paths) or _turned(others):
                return True  # an element that is another one each time
        return False

    def add(self, other: Paths) -> None:
        """Take the objects of another side for those of this one, too."""
        for mine, theirs in ((self._paths, other._paths), (self._around, other._around)):
            for root, paths in theirs.items():
                mine.setdefault(root, set()).update(paths)


def _may_meet(sides: Sequence[Sequence[Found]]) -> bool:
    """Whether an object of one side can be one of another, or a part of it."""
    before = Paths()
    for on_side in sides:
        here = Paths(on_side)
        if here.may_meet(before):
            return True
        before.add(here)
    return False


@record
class _Placed:
    """An object with the side that it is on, and its place there."""

    side: int
    place: int
    found: Found


def _order_of_pair(pair: tuple[_Placed, _Placed]) -> list[tuple[int, int]]:
    return sorted((each.side, each.place) for each in pair)


class _Occurrences:
    """Where an object is: for each expression that gives it the first, second and last side."""

    def __init__(self) -> None:
        self._placed: dict[tuple[Found, Located], list[_Placed]] = {}

    def add(self, side: int, place: int, found: Found) -> None:
        """Count one more; sides come in their order."""
        known = self._placed.setdefault((found, found.object.place), [])
        if not known or known[-1].side < side:
            known[2:] = [_Placed(side, place, found)]

    def within(self, others: _Occurrences) -> Iterator[tuple[_Placed, _Placed]]:
        """The first pair, on two sides, of each of these with each of those that it is within."""
        for inside in self._placed.values():
            for around in others._placed.values():
                pairs = [
                    (inner, outer)
                    for inner in inside
                    for outer in around
                    if inner.side < outer.side or (inner.side > outer.side and self is not others)
                ]
                if pairs:
                    yield min(pairs, key=_order_of_pair)


#: What objects do that reach a function, in words.
IS_PASSED = "is passed"


class Untold(str):
    """A reason that says only that nobody can tell, in words: not that something is shared."""

    __slots__ = ()


def in_other_words(reason: str, words: str) -> str:
    """A reason within other words, which say no more than it does."""
    return Untold(words) if isinstance(reason, Untold) else words


def untold(one: Object) -> Untold:
    """That it is not known what an object is, or holds, in words."""
    return Untold(
        f"nnx-migrate cannot tell which objects {one} holds, because too much code leads there"
    )


def in_words(one: Found, other: Found, does: str = IS_PASSED) -> str:
    """What two finds of one object are, for a person.

    Args:
        does: what happens to the objects.
    """
    for each in (one.object, other.object):
        if REST in each.path:
            return untold(each)
    if one.holder is not None and other.holder is not None:
        if str(one.holder) == str(other.holder):
            return f"{one.holder} holds {_named(one.object)} twice"
        return f"{one.object} {does} together with {one.holder} and {other.holder}, which hold it"
    if one.object.path != other.object.path:
        return f"{_named(one.object)} {does} together with {other.object}, which holds it"
    holder = one.holder or other.holder
    if holder is not None:
        return f"{one.object} {does} together with {holder}, which holds it"
    return f"{_named(one.object)} {does} twice"


def _named(one: Object) -> str:
    """An object in words, of which the code names only what it is an element of, if so."""
    last = one.path[-1] if one.path else ""
    is_element = bool(last) and not last.isidentifier() and not is_state(last)
    return f"an element of {one}" if is_element else str(one)
