"""What a factory returns is recorded when it is called."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("cloudpickle")
pytest.importorskip("pebble")
pytest.importorskip("jax")
from nnx_migrate.check.compare.verdicts import CaseResult, Verdict
from tests.unit.check.recording.projects import write_project

pytestmark = pytest.mark.runs_jax

_PROGRAM = """
import jax
import jax.numpy as jnp
from flax import nnx


def make_step(lr):
    @jax.jit
    def step(p, g):
        return p - lr * g
    return step


def make_both(lr):
    def init(p):
        return p * 0
    def step(p, g):
        return p - lr * g
    return init, step


def make_for(model):
    def apply(x):
        return model(x) + 1
    return apply


def chosen(name):
    return {"relu": nnx.relu}[name]


def uncalled(lr):
    return lambda p: p + lr + 0.5


_kept = {}


def kept_step(name):
    if name not in _kept:
        _kept[name] = jax.jit(lambda p: p * 3)
    return _kept[name]


if __name__ == "__main__":
    one = make_step(0.1)
    assert one.lower is not None
    one(jnp.ones(2), jnp.ones(2))
    init, step = make_both(0.1)
    step(init(jnp.ones(2)), jnp.ones(2))
    make_for(nnx.Linear(2, 2, rngs=nnx.Rngs(0)))(jnp.ones(2))
    assert chosen("relu") is nnx.relu
    uncalled(0.1)
    # The user's program may ask whether it is the same function.
    first = kept_step("one")
    assert first(jnp.ones(2)) is not None
    assert kept_step("one") is first
    assert kept_step("two") is not first
"""


def _checked(folder: Path, *changes: tuple[str, str]) -> dict[str, CaseResult]:
    new = _PROGRAM
    for before, after in changes:
        assert before in new
        new = new.replace(before, after)
    project = write_project(folder, {"train.py": _PROGRAM}, {"train.py": (_PROGRAM, new)})
    outcome = project.record("train.py")
    assert outcome.exit_code == 0
    found = project.check(project.jobs())
    return {name.removeprefix("train.py:"): each for name, each in found.items()}


def test_a_step_that_a_factory_made_is_compared(tmp_path: Path) -> None:
    found = _checked(tmp_path, ("p - lr * g", "p + lr * g"))
    verdicts = {name: each.verdict for name, each in found.items()}
    assert verdicts == {
        "make_step#1": Verdict.EQUAL,
        "make_step()#1": Verdict.DIFFERENT,
        "make_both#1": Verdict.EQUAL,
        "make_both()[0]#1": Verdict.PROVED,
        "make_both()[1]#1": Verdict.DIFFERENT,
    }


def test_the_same_in_other_words_passes(tmp_path: Path) -> None:
    found = _checked(tmp_path, ("p - lr * g", "p - g * lr"))
    assert all(each.verdict.passes for each in found.values()), found


def test_what_it_returns_and_nobody_calls_is_not_checked(tmp_path: Path) -> None:
    found = _checked(tmp_path, ("p + lr + 0.5", "p + lr + 0.6"))
    assert found["uncalled#1"].verdict is Verdict.NOT_CHECKED


def test_a_function_that_a_factory_keeps_stays_the_same_object(tmp_path: Path) -> None:
    # The program would fail if it saw that it is recorded.
    found = _checked(
        tmp_path, ("_kept[name] = jax.jit(lambda p: p * 3)", "_kept[name] = (lambda p: p * 4)")
    )
    assert found["kept_step()#1"].verdict is Verdict.DIFFERENT


def test_a_function_over_a_model_is_checked_or_said_not_to_be(tmp_path: Path) -> None:
    found = _checked(tmp_path, ("model(x) + 1", "model(x) + 2"))
    verdicts = {each.verdict for each in found.values()}
    assert verdicts & {Verdict.DIFFERENT, Verdict.NOT_CHECKED}, found
