"""What an answer that depends on itself may hold: one of finitely many values."""

from __future__ import annotations

from nnx_migrate.analysis.domain.values import Located, Scope
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.points_to.abstract_objects import (
    NOTHING,
    Held,
    Object,
    Variable,
    anything,
    either,
    together,
)
from nnx_migrate.analysis.points_to.repeated_objects import objects, twice
from nnx_migrate.analysis.points_to.widening import folded, joined

SCOPE = Scope("main", "run:1:0")


def given(name: str, *parts: tuple[str, Held]) -> Held:
    one = Object(Variable(SCOPE, name, 0), (), Located(SCOPE, ir.Name(name)))
    return Held(one, parts)


def box(*parts: Held) -> Held:
    return together(("", each) for each in parts)


A, B = given("a"), given("b")


def names(held: Held) -> list[str]:
    return [str(each.object) for each in objects(held)]


def test_a_value_that_is_not_deep_is_the_same() -> None:
    for held in (
        NOTHING,
        A,
        together([("0", A), ("1", NOTHING), ("2", B)]),
        either([A, box(B)]),
        given("chain", ("below", given("link", ("net", A)))),
        Held(given("x").object, (("", A), ("", B)), "either"),
    ):
        assert folded(held) == held


def test_what_is_held_deep_in_containers_is_told() -> None:
    deep = A
    for _ in range(50):
        deep = box(deep, NOTHING)
    assert names(folded(deep)) == ["a"]
    assert folded(box(box(deep))) == folded(deep)
    assert list(twice(folded(box(deep, A))))
    assert not list(twice(folded(box(deep, B))))


def test_containers_of_nothing_are_nothing() -> None:
    assert folded(box(box(), box(NOTHING, box()))) == NOTHING


def test_an_object_is_not_in_itself() -> None:
    inner = given("chain", ("net", A))
    held = given("chain", ("below", inner), ("net", A))
    assert folded(held) == given("chain", ("below", given("chain")), ("net", A))


def test_what_is_held_often_is_held_twice() -> None:
    assert folded(box(A, A, B, A, A)) == box(A, A, B)
    assert folded(box(either([A, either([B, A]), B]))) == box(either([A, B]))


def test_one_of_several_is_no_container() -> None:
    options = either([A, either([B, either([A, B])])])
    assert folded(options) == either([A, B])


ANY = anything(Located(SCOPE, ir.UNSEEN))


def in_all_orders(left: tuple[str, ...]) -> Held:
    """A container of objects that hold each other, in each order."""
    others = [(name, tuple(each for each in left if each != name)) for name in left]
    return box(*(given(name, ("", in_all_orders(rest))) for name, rest in others))


def test_few_objects_within_each_other_in_all_orders_may_be_any() -> None:
    assert joined(NOTHING, in_all_orders(tuple("abcde")), lambda: ANY) != ANY
    assert joined(NOTHING, in_all_orders(tuple("abcdef")), lambda: ANY) == ANY


def test_what_may_be_any_stays_that() -> None:
    assert joined(ANY, A, lambda: ANY) == ANY


def test_many_objects_are_told_however_many() -> None:
    many = box(*(given(f"a{n}", ("net", given(f"b{n}"))) for n in range(900)))
    assert joined(NOTHING, many, lambda: ANY) == many
