"""What is in a value twice."""

from __future__ import annotations

import pytest

from nnx_migrate.analysis.domain.values import Located, Scope
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.points_to.abstract_objects import (
    NOTHING,
    REST,
    SOME,
    Held,
    Object,
    Variable,
    attribute,
    either,
)
from nnx_migrate.analysis.points_to.repeated_objects import Found, objects, on_several, twice
from tests.unit.analysis.asking import analysis_of, scope_named

SCOPE = Scope("main", "run:1:0")


def an_object(name: str, *path: str) -> Object:
    place = Located(SCOPE, ir.Name(".".join((name, *path))))
    return Object(Variable(SCOPE, name, 0), path, place)


def a_side(*found: Object) -> list[Found]:
    return [Found(each) for each in found]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (an_object("a"), an_object("b")),
        (an_object("a", "x"), an_object("a", "y")),
        (an_object("a", SOME), an_object("a", SOME)),
        (an_object("a", SOME, "x"), an_object("a", SOME)),
    ],
)
def test_nothing_is_on_both_sides(one: Object, other: Object) -> None:
    assert not list(on_several([a_side(one), a_side(other)]))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (an_object("a", "x", REST), an_object("a", "x")),
        (an_object("a", "x", "y", "z"), an_object("a", "x", REST)),
        (an_object("a", "x", REST), an_object("a", "x", REST)),
        (an_object("a", "x", "y", REST), an_object("a", REST)),
    ],
)
def test_a_path_that_goes_on_may_lead_to_all_below(one: Object, other: Object) -> None:
    assert list(on_several([a_side(one), a_side(other)])) == [(Found(one), Found(other))]
    assert list(twice(Held(None, (("0", Held(one)), ("1", Held(other))))))


def test_a_path_that_goes_on_leads_to_nothing_beside() -> None:
    one, other = an_object("a", "x", REST), an_object("a", "y")
    assert not list(on_several([a_side(one), a_side(other)]))


def test_a_path_by_one_name_again_and_again_ends() -> None:
    node = Held(an_object("a"))
    for _ in range(10):
        node = attribute(node, "below", Located(SCOPE, ir.UNSEEN))
    assert node.object == an_object("a", "below", "below", REST)


def test_what_is_twice_on_one_side_is_not_on_several() -> None:
    assert not list(on_several([a_side(an_object("a"), an_object("a"))]))


@pytest.mark.parametrize("turned", [False, True])
def test_the_part_comes_before_the_whole(turned: bool) -> None:
    part, whole = an_object("a", "x", SOME), an_object("a", "x")
    sides = [a_side(part), a_side(whole)]
    (found,) = on_several(sides[::-1] if turned else sides)
    assert found == (Found(part), Found(whole))


def test_pairs_come_in_the_order_of_the_sides() -> None:
    a, b, c = (an_object(name) for name in "abc")
    found = [inner.object for inner, _ in on_several([a_side(b, a), a_side(c), a_side(a, c, b)])]
    assert found == [b, a, c]


def test_the_same_a_thousand_times_is_one_pair_for_each_place() -> None:
    value = Held(None, tuple(("", Held(an_object("a"))) for _ in range(1000)))
    assert len(list(twice(value))) == 1


def test_a_part_that_is_reached_in_thousands_of_ways_is_looked_into_once() -> None:
    value = Held(an_object("a"))
    for place in range(60):
        value = Held(
            None, (("x", value), ("", Held(an_object(f"b{place}"))), ("y", value)), "either"
        )
    assert len(list(objects(value))) == 61
    ((inner, outer),) = twice(Held(None, (("", value), ("", Held(an_object("a", "x"))))))
    assert (inner.object, outer.object) == (an_object("a", "x"), an_object("a"))


@pytest.mark.parametrize("name", ["__name__", "__qualname__", "__module__", "__doc__"])
def test_the_name_of_a_function_is_no_part_of_an_object(name: str) -> None:
    analysis = analysis_of("def run(loss):\n    return loss")
    scope, finder = scope_named(analysis, "run"), analysis.sharing.objects
    assert finder.held(scope, ir.Attribute(ir.Name("loss"), name)) == NOTHING
    assert finder.held(scope, ir.Attribute(ir.Name("loss"), "kept")) != NOTHING


def test_what_is_one_of_several_in_several_ways_is_one_of_them_once() -> None:
    """Conditions in conditions would make a tree of thousands of parts, of three objects."""
    one, other, third = (Held(an_object(name)) for name in "abc")
    pair = either([one, other])
    assert either([pair, either([other, third]), pair]) == either([one, other, third])
    assert either([NOTHING, pair]) == pair
    assert objects(either([pair, third])) == a_side(*map(an_object, "abc"))
