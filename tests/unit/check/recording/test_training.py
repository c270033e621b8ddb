"""Programs that train, recorded and replayed through the matrix."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("cloudpickle")
pytest.importorskip("pebble")
jax = pytest.importorskip("jax")
from nnx_migrate.check.recording.store import read_call  # noqa: E402
from nnx_migrate.check.verdicts import Verdict  # noqa: E402
from tests.unit.check.recording.projects import write_project  # noqa: E402

pytestmark = pytest.mark.runs_jax

_MODELS = """
import jax
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs):
        self.a = nnx.Linear(4, 8, rngs=rngs)
        self.drop = nnx.Dropout(0.2, rngs=rngs)
        self.norm = nnx.BatchNorm(8, rngs=rngs)
        self.b = nnx.Linear(8, 2, rngs=rngs)

    def __call__(self, x):
        return self.b(self.drop(jax.nn.relu(self.norm(self.a(x)))))
"""

_TRAIN = """
import sys

import jax
import jax.numpy as jnp
import optax
from flax import nnx

from models import Net


class Trainer:
    # Neither a Module nor a pytree.
    def __init__(self, model, optimizer):
        self.model, self.optimizer, self.steps = model, optimizer, 0

    def fit(self, x, y):
        self.steps += 1
        return train_step(self.model, self.optimizer, x, y) + 0


def loss_fn(model, x, y):
    return optax.softmax_cross_entropy_with_integer_labels(model(x), y).mean()


@nnx.jit
def train_step(model, optimizer, x, y):
    loss, grads = nnx.value_and_grad(loss_fn)(model, x, y)
    optimizer.update(model, grads)
    return loss


class Head(nnx.Module):
    # Only ever called while its caller is traced.
    def __init__(self, key):
        self.key = nnx.RngKey(key)
        self.w = nnx.Param(jnp.ones((4, 40)))

    def __call__(self, x):
        noise = jax.random.normal(self.key[...], (40,))
        return x @ self.w + noise


@nnx.jit
def apply(model, x):
    return model(x).sum()


def predict(model, x):
    return model(x) * 1


def scale(state, key):
    noise = jax.random.normal(key, ())
    return jax.tree.map(lambda leaf: leaf * noise, state)


predict_fast = nnx.jit(predict)


def main():
    model = Net(nnx.Rngs(0))
    # On the new side nothing outside a Param takes part in the gradient.
    optimizer = nnx.Optimizer(model, optax.adamw(1e-2), wrt=nnx.Param)
    trainer = Trainer(model, optimizer)
    for step in range(int(sys.argv[1])):
        x = jax.random.normal(jax.random.key(step), (16, 4))
        loss = trainer.fit(x, (x[:, 0] > 0).astype(jnp.int32))
    apply(Head(jax.random.key(2)), x)
    predict_fast(model, x)
    scale(nnx.state(model, nnx.Param), jax.random.key(3))
    print("loss", float(loss))


GUARD
    main()
"""
_GUARD = 'if __name__ == "__main__":'
_DIFF = "nnx.value_and_grad(loss_fn, argnums=nnx.DiffState(0, nnx.Param))"
_RIGHT = """    params = nnx.state(model, nnx.Param)

    def of_params(params, model, x, y):
        nnx.update(model, params)
        return loss_fn(model, x, y)

    loss, grads = nnx.value_and_grad(of_params)(params, nnx.clone(model), x, y)
"""


def test_a_script_is_recorded_and_a_right_migration_told_from_a_wrong_one(tmp_path: Path) -> None:
    old = _TRAIN.replace("GUARD", _GUARD)
    migrated = {
        "x) + 0": "x) + 0.0",
        "return train_step(self.model, self.optimizer, x, y) + 0": (
            "loss = train_step(self.model, self.optimizer, x, y)\n        return loss + 0"
        ),
        "return x @ self.w + noise": "product = x @ self.w\n        return product + noise",
        "return model(x) * 1": "return model(x) * 2",
        "predict_fast = nnx.jit(predict)": "predict_fast = nnx.jit(predict, graph=False)",
        "leaf * noise": "noise * leaf",
    }
    new = old
    for before, after in migrated.items():
        new = new.replace(before, after)
    files = {"models.py": _MODELS, "train.py": old}
    project = write_project(tmp_path, files, {"train.py": (old, new)})
    outcome = project.record("train.py", "3", calls=2)
    assert (outcome.exit_code, outcome.missed, outcome.never_called) == (0, (), ())
    kept = {job.name: read_call(project.recording, int(job.entry)) for job in project.jobs()}
    assert {name.removeprefix("train.py:"): call.kept for name, call in kept.items()} == {
        "Trainer.fit#1": "values",
        "Trainer.fit#2": "values",
        "Head.__call__#1": "traced",
        "predict_fast#1": "values",
        "predict#1": "traced",
        "scale#1": "values",
    }
    results = project.check(project.jobs())
    verdicts = {
        name.removeprefix("train.py:"): {
            column: result.verdict for column, result in each.columns.items()
        }
        for name, each in results.items()
    }
    good = {Verdict.PROVED, Verdict.EQUAL}
    for name in ("Trainer.fit#1", "Head.__call__#1", "scale#1"):
        assert verdicts[name]["new@graph"] in good, results
    for name in ("Head.__call__#1", "scale#1"):
        assert verdicts[name]["new@tree"] in good, results
    assert verdicts["predict_fast#1"]["new@graph"] is Verdict.DIFFERENT
    assert verdicts["predict#1"]["new@tree"] is Verdict.DIFFERENT
