"""Circles of answers: what is not computed again would have come out the same."""

from __future__ import annotations

import dataclasses
import gc
import random
from collections.abc import Iterable

import pytest

from nnx_migrate.analysis.domain.fixpoint import UNKNOWN, Fixpoint

Answer = frozenset[int]
NOTHING: Answer = frozenset()
WIDE: Answer = frozenset({-1})


class ComputingAll(Fixpoint):
    """Computes all answers of a circle in each round."""

    def _unchanged(self, asked: object) -> bool:
        return False


@dataclasses.dataclass
class Equations:
    """Sets of numbers that are made of each other.

    Args:
        parts: of each, the others that it holds, the last of which only where it holds an odd one.
        own: the numbers that it adds.
        without: numbers that it leaves out where it holds others.
        fixpoint: solves them.
    """

    parts: list[list[int]]
    own: list[int]
    without: list[int]
    fixpoint: Fixpoint

    def of(self, one: int) -> Answer:
        return self.fixpoint.get(one, lambda: self._of(one), NOTHING, lambda _: WIDE)

    def _of(self, one: int) -> Answer:
        unguessed = self.fixpoint.unguessed
        *others, last = self.parts[one]
        found = NOTHING.union(*map(self.of, others))
        if any(each % 2 for each in found):
            found |= self.of(last)
        if not found and self.fixpoint.unguessed != unguessed:
            return found
        found |= {self.own[one]}
        return found - {self.without[one]} if len(found) > 2 else found


def equations(seed: int, kind: type[Fixpoint], count: int = 12) -> Equations:
    chosen = random.Random(seed)
    return Equations(
        [[chosen.randrange(count) for _ in range(chosen.choice((1, 2, 3)))] for _ in range(count)],
        [chosen.randrange(8) for _ in range(count)],
        [chosen.randrange(8) for _ in range(count)],
        kind(),
    )


def answers(system: Equations, asked: Iterable[int]) -> list[Answer]:
    return [system.of(each) for each in asked]


@pytest.mark.parametrize("block", range(4))
def test_each_answer_is_that_of_computing_all_anew(block: int) -> None:
    fewer = 0
    for seed in range(block * 250, block * 250 + 250):
        order = list(range(12))
        random.Random(seed).shuffle(order)
        quick, whole = equations(seed, Fixpoint), equations(seed, ComputingAll)
        assert answers(quick, order) == answers(whole, order)
        assert quick.fixpoint.computed <= whole.fixpoint.computed
        fewer += quick.fixpoint.computed < whole.fixpoint.computed
    assert fewer > 100


def least(parts: list[list[int]]) -> list[Answer]:
    """The least sets that hold their own number and all that their parts hold."""
    found = [NOTHING] * len(parts)
    while True:
        more = [
            found[one].union({one}, *(found[each] for each in held))
            for one, held in enumerate(parts)
        ]
        if more == found:
            return found
        found = more


def solved(parts: list[list[int]], order: Iterable[int]) -> list[Answer]:
    fixpoint = Fixpoint()

    def of(one: int) -> Answer:
        return fixpoint.get(one, lambda: computed(one), NOTHING, lambda _: WIDE)

    def computed(one: int) -> Answer:
        return frozenset({one}).union(*map(of, parts[one]))

    return [of(each) for each in order]


def test_an_answer_of_a_circle_is_not_final_while_one_around_it_is_open() -> None:
    # 0 asks 1, which is a circle with 2 and one with 0. Then 0 asks 3, which stands where 1 has
    # stood, and asks 2, which rests on what stood there.
    parts = [[1, 3], [2, 0], [1], [2]]
    assert solved(parts, range(4)) == [{0, 1, 2, 3}] * 4


@pytest.mark.parametrize("block", range(4))
def test_an_answer_is_the_least_whatever_was_asked_before(block: int) -> None:
    for seed in range(block * 250, block * 250 + 250):
        chosen = random.Random(seed)
        count = chosen.randrange(4, 12)
        parts = [
            [chosen.randrange(count) for _ in range(chosen.randrange(4))] for _ in range(count)
        ]
        expected, order = least(parts), chosen.sample(range(count), count)
        assert solved(parts, order) == [expected[each] for each in order], parts


def test_a_round_computes_only_what_rests_on_something_new() -> None:
    # 0 -> 1 -> 0, and 200 others that rest on 0 and add nothing to it.
    count = 202
    circle = [[0, 1, 1], [0, 0], *([0, 0] for _ in range(count - 2))]
    circle[0] = [1, *range(2, count), 1]
    for kind, most in ((Fixpoint, 3 * count), (ComputingAll, 10 * count)):
        system = Equations(circle, [0] * count, [9] * count, kind())
        assert system.of(0) == {0}
        assert system.fixpoint.computed <= most
    assert system.fixpoint.computed > 2 * count


def test_what_does_not_settle_is_widened() -> None:
    fixpoint = Fixpoint()

    def grown() -> Answer:
        return frozenset({*fixpoint.get("x", grown, NOTHING, lambda _: WIDE), len(seen(fixpoint))})

    def seen(of: Fixpoint) -> range:
        return range(of.computed)

    assert fixpoint.get("x", grown, NOTHING, lambda _: WIDE) == WIDE
    assert fixpoint.final("x") == WIDE


def test_what_does_not_settle_grows_until_it_does() -> None:
    fixpoint = Fixpoint()

    def turned() -> Answer:
        # What is not there is found, and what is there is not: no answer is that of its own.
        return frozenset({1, 2, 3}) - asked() | {0}

    def asked() -> Answer:
        return fixpoint.get("x", turned, NOTHING, lambda _: WIDE, join=frozenset.union)

    assert asked() == {0}  # with all assumed that it may hold
    assert fixpoint.final("x") == {0}


def test_a_long_way_round_settles_however_long_it_is() -> None:
    # Each round tells one more of a hundred: no answer is given up as too late.
    parts = [[min(one + 1, 99), max(one - 1, 0)] for one in range(100)]
    for order in (range(100), range(99, -1, -1), range(50, 100)):
        assert solved(parts, order) == [frozenset(range(100))] * len(order)


def test_what_is_found_again_is_not_folded_again() -> None:
    fixpoint, folded = Fixpoint(), list[Answer]()

    def fold(assumed: Answer, found: Answer) -> Answer:
        folded.append(found)
        return assumed | found

    def grown() -> Answer:
        kept: Answer = fixpoint.get("same", same, NOTHING, lambda _: WIDE, fold)
        return kept.union(range(min(4, len(asked()) + 1)))

    def asked() -> Answer:
        return fixpoint.get("grown", grown, NOTHING, lambda _: WIDE)

    def same() -> Answer:
        return frozenset({7, 0 * len(asked())})  # made anew in each round

    assert asked() == {0, 1, 2, 3, 7}
    assert folded == [{0, 7}]


def test_what_grows_without_end_settles_where_it_is_folded() -> None:
    fixpoint = Fixpoint()

    def nested() -> tuple[object, ...]:
        return (asked(),)

    def asked() -> tuple[object, ...]:
        return fixpoint.get("x", nested, (), lambda _: ("wide",), lambda *_: (1,))

    assert asked() == ((1,),)
    assert fixpoint.final("x") == ((1,),)


def test_what_was_cut_short_is_computed_when_it_is_asked_again() -> None:
    fixpoint = Fixpoint()
    stops = [True]

    def first() -> Answer:
        return second() | {1}

    def second() -> Answer:
        found = fixpoint.get("first", first, NOTHING, lambda _: WIDE)
        return fixpoint.get("third", third, NOTHING, lambda _: WIDE) | found

    def third() -> Answer:
        found = fixpoint.get("first", first, NOTHING, lambda _: WIDE)
        if found and stops[0]:
            raise KeyboardInterrupt
        return found | {3}

    with pytest.raises(KeyboardInterrupt):
        fixpoint.get("first", first, NOTHING, lambda _: WIDE)
    assert not fixpoint.computing
    assert fixpoint.final("first") is UNKNOWN
    stops[0] = False
    assert fixpoint.get("first", first, NOTHING, lambda _: WIDE) == {1, 3}


def test_no_circle_of_objects_is_left_by_one_of_answers() -> None:
    gc.collect()
    system = equations(5, Fixpoint)
    answers(system, range(12))
    del system
    assert gc.collect() == 0
