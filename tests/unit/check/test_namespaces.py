"""What a file leaves at module level: what it left before counts, and new names are told."""

from __future__ import annotations

import pytest

pytest.importorskip("jax")
from flax import nnx

from nnx_migrate.check.compare.comparison import EXACT, compare
from nnx_migrate.check.compare.forms import Observation
from nnx_migrate.check.compare.leaves import view_of
from nnx_migrate.check.compare.namespaces import without_new_names

pytestmark = pytest.mark.runs_jax


def _left(**names: object) -> Observation:
    return Observation(view_of(names))


def _is_same(old: Observation, new: Observation) -> bool:
    return compare(old, new, EXACT).equal


def test_new_names_are_left_out_and_told() -> None:
    old, new = _left(x=1, y=[2]), _left(x=1, graphdef=3, y=[2], params={"w": 4})
    assert not _is_same(old, new)
    found, added = without_new_names(old, new)
    assert added == ("graphdef", "params")
    assert _is_same(old, found)


def test_what_is_gone_or_another_value_is_no_less_different() -> None:
    old = _left(x=1, y=[2])
    for new in (_left(x=1, z=0), _left(x=2, y=[2], z=0), _left(x=1, y=[2, 3], z=0)):
        assert not _is_same(old, without_new_names(old, new)[0])


def test_objects_that_a_new_name_stands_before_are_one_all_the_same() -> None:
    one, two = (nnx.Variable(1.0) for _ in range(2))
    old = _left(a=one, b=one)
    assert _is_same(old, without_new_names(old, _left(new=one, a=one, b=one))[0])
    assert not _is_same(old, without_new_names(old, _left(new=one, a=one, b=two))[0])


def test_what_raised_is_left_alone() -> None:
    raised = Observation(None, "ValueError", "no")
    assert without_new_names(_left(x=1), raised) == (raised, ())
