"""What is in a value twice is the same, however it is looked for."""

from __future__ import annotations

import functools
import random
import sys
from collections.abc import Iterator
from typing import Literal

import pytest

from nnx_migrate.analysis.domain.values import Located, Scope
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.points_to.abstract_objects import SOME, Held, MadeBy, Object, Variable
from nnx_migrate.analysis.points_to.containers import repeats
from nnx_migrate.analysis.points_to.containers.repeats import repeated
from nnx_migrate.analysis.points_to.repeated_objects import Found, choices_on_several, twice
from tests.perf.counting import calls_during

SCOPE = Scope("main", "run:1:0")
_WAYS: tuple[Literal["all", "either", "some"], ...] = ("all", "all", "either", "some")


def made(number: int, *path: str) -> Object:
    call = ir.Call(ir.Name("make"), (), (), number)
    place = ir.Attribute(call, path[-1]) if path else call
    return Object(MadeBy(SCOPE, call), path, Located(SCOPE, place))


def given(name: str, *path: str) -> Object:
    return Object(Variable(SCOPE, name, 0), path, Located(SCOPE, ir.Name(name)))


OBJECTS = (
    *(made(number) for number in range(4)),
    *(given(name) for name in "ab"),
    given("c"),
    given("c", "part"),
    given("d", SOME),
    made(9, "part"),
)


def value(draw: random.Random, shared: list[Held], depth: int) -> Held:
    if shared and draw.random() < 0.2:
        return draw.choice(shared)
    if depth == 0 or draw.random() < 0.2:
        return Held(draw.choice(OBJECTS)) if draw.random() < 0.9 else Held()
    parts = tuple(("", value(draw, shared, depth - 1)) for _ in range(draw.randrange(1, 4)))
    own = draw.choice(OBJECTS) if draw.random() < 0.3 else None
    found = Held(own, parts, draw.choice(_WAYS), closed=draw.random() < 0.1)
    shared.append(found)
    return found


def _all_repeated(held: Held) -> list[tuple[Object, Object]]:
    found = repeated(held, sys.maxsize)
    assert found is not None
    return found


@pytest.mark.parametrize("seed", range(300))
def test_is_what_the_pairs_say(seed: int) -> None:
    held = value(random.Random(seed), [], 4)
    pairs = {inner.object: outer.object for inner, outer in twice(held)}
    found = dict(_all_repeated(held))
    assert found.keys() == pairs.keys()
    for one, other in found.items():
        assert one.root == other.root


def test_values_of_the_test_have_much_twice() -> None:
    found = [len(_all_repeated(value(random.Random(seed), [], 4))) for seed in range(300)]
    assert sum(map(bool, found)) > 100
    assert max(found) > 3


def _columns(of: int) -> Held:
    """A container of containers that all hold the same results of calls."""
    row = [("", Held(made(number))) for number in range(of)]
    return Held(None, tuple(("", Held(None, (*row, ("", Held(made(of + n)))))) for n in range(of)))


def test_what_is_there_many_times_is_not_paired() -> None:
    few, many = (calls_during(functools.partial(_all_repeated, _columns(of))) for of in (10, 40))
    assert many < 20 * few


def test_no_pairs_are_made_where_there_are_more_than_are_of_use(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    held, paired = _columns(40), list[Held]()

    def counted(each: Held) -> Iterator[tuple[Found, Found]]:
        paired.append(each)
        return twice(each)

    monkeypatch.setattr(repeats, "twice", counted)
    assert repeated(held, 39) is None
    assert not paired
    assert len(repeated(held, 40) or ()) == 40
    assert len(paired) == 1


@pytest.mark.parametrize("seed", range(100))
def test_says_when_there_are_more(seed: int) -> None:
    held = value(random.Random(seed), [], 4)
    count = len(_all_repeated(held))
    assert repeated(held, count) == _all_repeated(held)
    assert repeated(held, count - 1) is None


def _chosen(of: int) -> Held:
    """Containers that each hold one of two objects, nobody knows which, and another one."""
    sides = []
    for n in range(of):
        either = Held(None, (("", Held(made(n))), ("", Held(made(n + 1)))), "some")
        sides.append(("", Held(None, (("", either), ("", Held(made(of + n)))))))
    return Held(None, tuple(sides))


def test_what_may_be_chosen_is_looked_up_once_for_all_sides() -> None:
    def calls(of: int) -> int:
        sides = tuple(_chosen(of))
        return calls_during(lambda: list(choices_on_several(sides)))

    assert calls(80) < 10 * calls(10)
