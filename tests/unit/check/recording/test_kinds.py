"""Every kind of call is recorded, however late it comes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("cloudpickle")
pytest.importorskip("pebble")
jax = pytest.importorskip("jax")
from nnx_migrate.check.compare.verdicts import Verdict
from nnx_migrate.check.recording.kinds import kind_of
from tests.unit.check.recording.projects import Project, write_project

pytestmark = pytest.mark.runs_jax

_START = """
import jax
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs):
        self.linear = nnx.Linear(4, 4, rngs=rngs)
        self.norm = nnx.BatchNorm(4, rngs=rngs)

    def __call__(self, x):
        return self.norm(self.linear(x))


def call(x, training):
    return x * 2 if training else x * 3


def evaluate(model, x):
    y = model(x)
    return y if not model.norm.use_running_average else y + 1


def power(x, exponent):
    return x**exponent if exponent < 5 else x * 7


def loss(model, x, weighted):
    return model(x).sum() * (2 if weighted else 3)


X = jnp.ones((2, 4))
model = Net(nnx.Rngs(0))
"""
_LATE = """
for step in range(9):
    call(X, True)
call(X, False)
"""
_FOURTH = "call(X, True)\ncall(X, True)\ncall(X, False)\n"
_MODES = "for step in range(5):\n    evaluate(model, X)\nmodel.eval()\nevaluate(model, X)\n"
_SHAPES = "for step in range(2):\n    call(X, True)\ncall(X[:1], True)\ncall(X[0], True)\n"
_NUMBERS = "for step in range(2):\n    power(X, 2)\npower(X, 5)\n"
_TRACED = """
loss(model, X, True)
nnx.jit(lambda model, x: nnx.grad(lambda model: loss(model, x, False))(model))(model, X)
"""


def _project(folder: Path, calls: str, change: tuple[str, str]) -> Project:
    program = f'{_START}\nif __name__ == "__main__":\n    ' + "\n    ".join(calls.splitlines())
    return write_project(folder, {"train.py": program}, {"train.py": change})


@pytest.mark.parametrize(
    ("calls", "change"),
    [
        (_FOURTH, ("x * 3", "x * 4")),
        (_LATE, ("x * 3", "x * 4")),
        (_MODES, ("y + 1", "y + 2")),
        (_NUMBERS, ("x * 7", "x * 8")),
        (_TRACED, ("2 if weighted else 3", "2 if weighted else 4")),
    ],
    ids=["the third has another flag", "the tenth", "another mode", "another number", "traced"],
)
def test_a_change_that_only_a_late_call_shows_is_seen(
    tmp_path: Path, calls: str, change: tuple[str, str]
) -> None:
    project = _project(tmp_path, calls, change)
    outcome = project.record("train.py")
    assert (outcome.exit_code, outcome.missed) == (0, ())
    results = project.check(project.jobs())
    assert Verdict.DIFFERENT in {each.verdict for each in results.values()}, results


def test_what_does_not_differ_is_kept_as_seldom_as_before(tmp_path: Path) -> None:
    project = _project(tmp_path, "for step in range(90):\n    call(X, True)", ("x * 3", "x * 4"))
    project.record("train.py")
    assert len(project.jobs()) == 3
    project = _project(
        tmp_path / "numbers", "for step in range(90):\n    power(X, step)", ("7", "8")
    )
    outcome = project.record("train.py")
    assert len(project.jobs()) == 8
    assert "it differs from the kept calls in its numbers" in outcome.missed[0].reason
    assert outcome.missed[0].spoken_for


def test_a_kind_that_cannot_be_recorded_is_no_remark(tmp_path: Path) -> None:
    calls = "import threading\ncall(X, True)\ncall(X, threading.Lock())"
    project = _project(tmp_path, calls, ("x * 2", "2 * x"))
    (missed,) = project.record("train.py").missed
    assert not missed.spoken_for


def test_too_many_kinds_are_said(tmp_path: Path) -> None:
    project = _project(tmp_path, "for n in range(1, 40):\n    call(jnp.ones(n), True)", ("3", "4"))
    outcome = project.record("train.py")
    assert len(project.jobs()) == 24
    assert [each.spoken_for for each in outcome.missed] == [False]


def test_a_kind_is_the_same_traced_or_not() -> None:
    from flax import nnx

    model: Any = nnx.BatchNorm(4, rngs=nnx.Rngs(0))
    x = jax.numpy.ones((2, 4))
    seen = []

    @nnx.jit
    def step(model: Any, x: Any) -> None:
        seen.append(kind_of(((model, {"b": x, "a": 1}), {})).digest())

    step(model, x)
    assert seen == [kind_of(((model, {"a": 1, "b": x}), {})).digest()]
    before = kind_of((model, x))
    assert before == kind_of((model, x + 1))
    assert before.structure != kind_of((model, x[:1])).structure
    model.eval()
    assert before.structure != kind_of((model, x)).structure


def test_what_refers_to_itself_ends() -> None:
    rows: list[object] = [1]
    rows.append(rows)
    assert kind_of(rows) == kind_of(rows)
    assert kind_of([1, 2]).structure == kind_of([3, 4]).structure
    assert kind_of([1, 2]) != kind_of([1, 2.0])
