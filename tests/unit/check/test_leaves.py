"""What a view leaves out because it differs by nature, and what it has to show all the same."""

from __future__ import annotations

import pytest

pytest.importorskip("jax")
import jax
import jax.numpy as jnp
from flax import nnx

from nnx_migrate.check.compare import leaves
from nnx_migrate.check.compare.comparison import EXACT, compare
from nnx_migrate.check.compare.forms import Observation

pytestmark = pytest.mark.runs_jax


def _is_same(one: object, other: object) -> bool:
    left, right = (Observation(leaves.view_of(each)) for each in (one, other))
    found = compare(left, right, EXACT)
    return found.different is None


def _average(graph: bool, decay: float) -> nnx.EMA:
    model = nnx.Linear(2, 2, rngs=nnx.Rngs(0))
    return nnx.EMA(model, decay=decay, only=nnx.Param, graph=graph)


def test_an_average_made_for_the_other_mode_is_the_same_average() -> None:
    assert _is_same(_average(True, 0.5), _average(False, 0.5))
    assert not _is_same(_average(True, 0.5), _average(True, 0.25))


def test_a_class_as_a_key_has_its_name_and_not_that_of_its_program() -> None:
    one, same, other = (
        {type(name, (), {"__module__": module}): 1}
        for name, module in (("Net", "before_1"), ("Net", "after_2"), ("Other", "before_1"))
    )
    assert _is_same(one, same)
    assert not _is_same(one, other)


def test_a_class_in_a_key_has_no_name_of_its_program_either() -> None:
    one, same, other = (
        {(nnx.Param, type(name, (), {"__module__": module})): 1}
        for name, module in (("Net", "before_1"), ("Net", "after_2"), ("Other", "before_1"))
    )
    assert _is_same(one, same)
    assert not _is_same(one, other)


def test_keys_of_the_same_text_are_entries_of_their_own() -> None:
    one, two = (type("Net", (), {"__module__": module}) for module in ("one", "two"))
    for first, second in ((one, two), (0, "0")):
        assert _is_same({first: 1, second: 2}, {first: 1, second: 2})
        assert not _is_same({first: 1, second: 2}, {first: 3, second: 2})
        assert not _is_same({first: 1, second: 2}, {first: 1, second: 3})


def test_a_view_keeps_no_call_from_donating_what_it_shows() -> None:
    given = jnp.ones(2)
    before = leaves.view_of(given)
    jax.jit(lambda x: x * 2, donate_argnums=0)(given)
    assert given.is_deleted()
    assert not _is_same(given, jnp.ones(2))
    assert compare(Observation(before), Observation(leaves.view_of(jnp.ones(2))), EXACT).equal


def test_what_has_too_many_leaves_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leaves, "_MOST_LEAVES", 10)
    leaves.view_of([0] * 9)
    with pytest.raises(leaves.TooLarge, match="more than 10 leaves"):
        leaves.view_of([0] * 10)
