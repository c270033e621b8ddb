"""Which objects are in a value twice: by sets of bits for those that are spelled in one way.

Most objects of a large value are what hundreds of calls make, each the result of its call and
nothing else. Where such a one is there twice it is so as itself, never as a part of another one,
so that a look at each part of the value tells; to pair what is in its parts takes minutes.
"""

from __future__ import annotations

from nnx_migrate.analysis.ir.records import record
from nnx_migrate.analysis.points_to.abstract_objects import Held, Object, Root, mapped
from nnx_migrate.analysis.points_to.repeated_objects import may_repeat, twice

#: An object in a value, and what it is, or is a part of.
_Pair = tuple[Object, Object]


def repeated(held: Held, most: int) -> list[_Pair] | None:
    """What is in a value twice, each object once, as one of the pairs that `twice` finds.

    Args:
        most: so many pairs are of use; of more, nothing is told.
    """
    if most < 0:
        return None
    if not may_repeat(held):
        return []
    alike = _spelled_in_one_way(held)
    counts = _Counts({one.root: 1 << place for place, one in enumerate(alike)})
    often = counts.of(held).twice
    pairs = [(one, one) for one in alike if counts.bit(one) & often]
    if len(pairs) > most:  # said before the pairs are made, which takes minutes where it is so
        return None
    told = mapped(held, lambda each: _without_these(each, counts))
    found = {inner.object: (inner.object, outer.object) for inner, outer in twice(told)}
    return None if len(pairs) + len(found) > most else [*pairs, *found.values()]


def _spelled_in_one_way(held: Held) -> list[Object]:
    """The objects that come from where no other one in a value does, and one expression gives.

    What some one of several is counts with the others that it may be, so that it is none of these.
    """
    found: dict[Root, Object | None] = {}
    seen: set[int] = set()
    waiting = [held]
    while waiting:
        each = waiting.pop()
        if id(each) in seen:
            continue
        seen.add(id(each))
        if (one := each.object) is not None:
            known = found.setdefault(one.root, one)
            if one.path or (known is not None and known.place != one.place):
                found[one.root] = None
        if each.way == "some":
            found.update((part.object.root, None) for part in each if part.object is not None)
        waiting += each
    return [one for one in found.values() if one is not None]


def _without_these(held: Held, counts: _Counts) -> Held:
    own = held.object
    if own is None or not counts.bit(own):
        return held
    return Held(None, held.parts, held.way, held.closed)


@record
class _Found:
    """Which objects are in a value, and which of them twice."""

    once: int
    twice: int


class _Counts:
    """Goes through each part of a value once."""

    def __init__(self, bits: dict[Root, int]) -> None:
        self._bits = bits
        self._known: dict[int, _Found] = {}

    def bit(self, one: Object) -> int:
        """What stands for an object; 0 for one that is not looked for."""
        return self._bits.get(one.root, 0)

    def of(self, held: Held) -> _Found:
        """What is in a value, as `twice` goes through it."""
        key = id(held)
        if key not in self._known:
            self._known[key] = self._of(held)
        return self._known[key]

    def _of(self, held: Held) -> _Found:
        once, often = 0 if held.object is None else self.bit(held.object), 0
        if held.closed:
            return _Found(once, 0)
        inside = 0
        for part in map(self.of, held):
            often |= part.twice
            if held.way == "all":
                often |= inside & part.once
            inside |= part.once
        one_alone = held.way != "some" or len(set(held)) == 1
        return _Found(once | inside if one_alone else once, often)
