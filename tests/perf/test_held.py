"""A value that holds a part in many ways is hashed and changed by its parts, not by the ways."""

from __future__ import annotations

import functools

from nnx_migrate.analysis.domain.values import Located, Scope
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.points_to.abstract_objects import Held, Object, Variable, mapped
from nnx_migrate.analysis.points_to.repeated_objects import twice
from tests.perf.counting import calls_during

SCOPE = Scope("main", "run:1:0")


def halves(depth: int) -> Held:
    """A value of which each part is there twice: 2**depth ways lead to its object."""
    held = Held(Object(Variable(SCOPE, "model", 0), (), Located(SCOPE, ir.Name("model"))))
    for _ in range(depth):
        held = Held(None, (("left", held), ("right", held)))
    return held


def test_a_value_is_hashed_once_for_all_ways() -> None:
    assert calls_during(lambda: hash(halves(16))) < 40 * 16


def test_a_part_is_changed_once_for_all_ways() -> None:
    changed = []

    def change(held: Held) -> Held:
        changed.append(held)
        return Held(None, (("kept", held),))

    found = mapped(halves(16), change)
    assert len(changed) == 1
    for _ in range(16):
        (_, left), (_, right) = found.parts
        assert left is right
        found = left
    assert found == Held(None, (("kept", halves(0)),))


def chain(depth: int) -> Held:
    """A value in which each object keeps another one."""
    held = Held()
    for number in range(depth):
        name = f"layer{number}"
        made = Object(Variable(SCOPE, name, 0), (), Located(SCOPE, ir.Name(name)))
        held = Held(made, (("inner", held), ("own", Held(None))))
    return held


def _twice_in_chain(depth: int) -> None:
    assert not list(twice(chain(depth)))


def test_each_part_of_what_holds_nothing_twice_is_looked_at_once() -> None:
    few, many = (calls_during(functools.partial(_twice_in_chain, depth)) for depth in (20, 80))
    assert many < 5 * few
