"""Programs that train, recorded and replayed through the matrix."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("cloudpickle")
pytest.importorskip("pebble")
jax = pytest.importorskip("jax")
from nnx_migrate.check.compare.verdicts import Verdict
from nnx_migrate.check.recording.meshes import Meshes, MeshTooLarge, within_meshes
from nnx_migrate.check.recording.store import read_call, recorded_observation
from tests.unit.check.recording.projects import write_project, write_single_program

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
    optimizer = nnx.Optimizer(model, optax.sgd(1e-2), wrt=nnx.Param)
    trainer = Trainer(model, optimizer)
    for step in range(int(sys.argv[1])):
        x = jax.random.normal(jax.random.key(step), (16, 4))
        loss = trainer.fit(x, (x[:, 0] > 0).astype(jnp.int32))
    apply(Head(jax.random.key(2)), x)
    predict_fast(model, x)
    scale(nnx.state(model, nnx.Param), jax.random.key(3))
    print("loss", float(loss))


if __name__ == "__main__":
    main()
"""


def test_a_script_is_recorded_and_a_right_migration_told_from_a_wrong_one(tmp_path: Path) -> None:
    migrated = {
        "return train_step(self.model, self.optimizer, x, y) + 0": (
            "loss = train_step(self.model, self.optimizer, x, y)\n        return loss + 0"
        ),
        "return x @ self.w + noise": "product = x @ self.w\n        return product + noise",
        "return model(x) * 1": "return model(x) * 2",
        "predict_fast = nnx.jit(predict)": "predict_fast = nnx.jit(predict, graph=False)",
        "leaf * noise": "noise * leaf",
    }
    new = _TRAIN
    for before, after in migrated.items():
        new = new.replace(before, after)
    files = {"models.py": _MODELS, "train.py": _TRAIN}
    project = write_project(tmp_path, files, {"train.py": (_TRAIN, new)})
    outcome = project.record("train.py", "3", calls=1)
    assert (outcome.exit_code, outcome.missed, outcome.never_called) == (0, (), ())
    kept = {job.name: read_call(project.recording, int(job.entry)) for job in project.jobs()}
    assert {name.removeprefix("train.py:"): call.kept for name, call in kept.items()} == {
        "Trainer.fit#1": "values",
        "Trainer.fit#2": "values",
        "Trainer.fit#3": "values",
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
    # Head and Trainer are classes of the script itself, on each side those of that side.
    assert verdicts["predict_fast#1"]["new@graph"] is Verdict.DIFFERENT
    assert verdicts["predict#1"]["new@tree"] is Verdict.DIFFERENT


_STEP = """import sys
import jax
import jax.numpy as jnp
import optax
from flax import nnx


class Linear(nnx.Module):
    def __init__(self, size):
        self.w = nnx.Param(jnp.ones((size, size)))
        self.calls = nnx.BatchStat(jnp.zeros(()))

    def __call__(self, x):
        self.calls[...] += 1
        return jnp.sqrt(x @ self.w)


def loss_fn(model, x):
    return model(x).sum()


@nnx.jit
def train_step(model, optimizer, x):
    grads = nnx.grad(loss_fn)(model, x)
    optimizer.update(model, grads)


def refuse(model):
    raise ValueError(f"no {type(model).__name__} today")


for size in (2, 200):
    model = Linear(size)
    optimizer = nnx.Optimizer(model, optax.adam(float(sys.argv[1])), wrt=nnx.Param)
    train_step(model, optimizer, jnp.ones((3, size)))
try:
    refuse(model)
except ValueError as error:
    print(error)
"""


@pytest.mark.parametrize("right", [True, False])
def test_a_single_program_without_a_guard_is_checked(tmp_path: Path, right: bool) -> None:
    grad = "nnx.grad(loss_fn)(model, x)"
    wanted = "nnx.state(nnx.grad(loss_fn)(model, x), nnx.Param)"
    new = _STEP.replace(grad, wanted if right else wanted.replace("x)", "2 * x)", 1))
    new = new.replace("raise ValueError(", "raise TypeError() if not model else ValueError(")
    project = write_single_program(tmp_path, _STEP, new)
    outcome = project.record("before.py", "0.1", most_bytes=100_000)
    assert (outcome.exit_code, outcome.missed, outcome.never_called) == (0, (), ())
    jobs = {job.name: job for job in project.jobs()}
    kept = [read_call(project.recording, int(job.entry)).kept for job in jobs.values()]
    names = ["train_step#1", "train_step#2", "refuse#1"]
    assert list(jobs) == [f"before.py:{name}" for name in names]
    assert kept == ["values", "shapes", "shapes"]
    assert recorded_observation(project.recording, int(jobs["before.py:train_step#1"].entry))
    results = project.check(list(jobs.values()))
    for name, each in results.items():
        for column in each.columns.values():
            good = column.verdict in (Verdict.PROVED, Verdict.EQUAL)
            assert good is (right or "refuse" in name), results


def test_calls_that_depend_on_more_than_their_arguments_are_not_checked(tmp_path: Path) -> None:
    old = """import functools
import jax.numpy as jnp
from flax import nnx

calls = 0


def uses_global(x):
    return model(x)


def counts(x):
    global calls
    calls += 1
    return x + calls


if __name__ == "__main__":
    calls = 5
    model = nnx.Linear(2, 2, rngs=nnx.Rngs(0))
    uses_global(jnp.ones(2))
    counts(1)
else:
    model = None

bound = functools.partial(nnx.Linear.__call__, nnx.Linear(2, 2, rngs=nnx.Rngs(0)))
cached = nnx.cached_partial(nnx.jit(nnx.Linear.__call__), nnx.Linear(2, 2, rngs=nnx.Rngs(0)))
"""
    new = (
        old.replace("model(x)", "model(x) * 2")
        .replace("x + calls", "x + 2 * calls")
        .replace("Rngs(0)", "Rngs(1)")
    )
    project = write_project(tmp_path, {"a.py": old}, {"a.py": (old, new)})
    missed = project.record("a.py").missed
    assert [each.name for each in missed] == ["bound", "cached"]
    assert {each.reason.partition(",")[0] for each in missed} == {"it keeps Modules of its own"}
    results = project.check(project.jobs())
    reasons = {}
    for name, each in results.items():
        (found,) = {(column.verdict, column.reason) for column in each.columns.values()}
        assert found[0] is Verdict.NOT_CHECKED
        reasons[name] = found[1]
    assert "repeated it raises TypeError" in reasons["a.py:uses_global#1"]
    assert "depends on more than its arguments: result: expected" in reasons["a.py:counts#1"]


_SHARDED = """
import jax
from flax import nnx
from jax.sharding import PartitionSpec as P


def create(seed):
    init = nnx.initializers.lecun_normal()
    return nnx.Linear(4, 2, kernel_init=init, kernel_metadata={"out_sharding": P("data")},
                      rngs=nnx.Rngs(seed))


@jax.jit
def split(x):
    return jax.lax.with_sharding_constraint(x, P("data")) * 2


if __name__ == "__main__":
    mesh = jax.make_mesh((1,), ("data",), axis_types=(jax.sharding.AxisType.Auto,))
    with jax.set_mesh(mesh):
        create(0)
"""


_AXES = (("data", 1, "Auto"),)


def test_the_mesh_around_a_call_is_set_again(tmp_path: Path) -> None:
    change = {"train.py": ("def create(seed):\n", "def create(seed):\n    seed = int(seed)\n")}
    project = write_project(tmp_path, {"train.py": _SHARDED}, change)
    project.record("train.py")
    (job,) = project.jobs()
    assert read_call(project.recording, int(job.entry)).meshes == Meshes(current=_AXES)
    (result,) = project.check([job]).values()
    assert result.verdict.passes, result


def test_a_mesh_that_is_entered_is_entered_again(tmp_path: Path) -> None:
    text = _SHARDED.replace(
        "with jax.set_mesh(mesh):\n        create(0)", "with mesh:\n        split(X)"
    )
    text = text.replace("PartitionSpec as P", "PartitionSpec as P\n\nX = jax.numpy.ones(4)")
    change = {"train.py": ('P("data")) * 2', 'P("data")) * 2.0')}
    project = write_project(tmp_path, {"train.py": text}, change)
    project.record("train.py")
    (job,) = project.jobs()
    assert read_call(project.recording, int(job.entry)).meshes == Meshes(entered=_AXES)
    (result,) = project.check([job]).values()
    assert result.verdict.passes, result


def test_a_mesh_of_more_devices_than_there_are_is_said() -> None:
    axes = (("a", 512, "Auto"),)
    for meshes in (Meshes(current=axes), Meshes(entered=axes)):
        with pytest.raises(MeshTooLarge, match="a mesh of 512 devices"), within_meshes(meshes):
            pass


_TESTS = """
import time

import jax.numpy as jnp
import pytest

from work import half


@pytest.mark.parametrize("number", range(8))
def test_half(number):
    time.sleep(0.2)
    assert half(jnp.float32(number)) == number / 2
"""


def test_tests_that_run_in_several_processes_share_a_recording(tmp_path: Path) -> None:
    pytest.importorskip("xdist")
    files = {"work.py": "def half(x):\n    return x / 2\n", "test_work.py": _TESTS}
    project = write_project(tmp_path, files, {"work.py": ("x / 2", "x * 0.5")})
    command = ("-m", "pytest", "-q", "-n", "2", "-p", "no:cacheprovider", "test_work.py")
    outcome = project.record(*command, calls=3)
    assert (outcome.exit_code, outcome.never_called) == (0, ())
    jobs = project.jobs()
    assert len(jobs) == 3
    assert all(case.verdict.passes for case in project.check(jobs).values())
