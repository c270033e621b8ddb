"""The harness itself: it sees every difference that matters, and it can fail."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from nnx_migrate.check.compare.forms import Plain
from nnx_migrate.check.jobs import Mode
from tests.golden.columns import Result, difference, run_matrix, run_programs

GRADIENT = """
import jax, jax.numpy as jnp
from flax import nnx

class Net(nnx.Module):
    def __init__(self, rngs):
        self.linear = nnx.Linear(2, 3, rngs=rngs)
        self.norm = nnx.BatchNorm(3, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)
    def __call__(self, x):
        return self.drop(self.norm(self.linear(x)))

def step(model, x):
    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)
    def loss_fn(params, nondiff):
        model = nnx.merge(graphdef, params, nondiff)
        return jnp.mean(model(x) ** 2)
    return nnx.value_and_grad(loss_fn)(params, nondiff)
"""
GRADIENT_BEFORE = """
import jax, jax.numpy as jnp
from flax import nnx

class Net(nnx.Module):
    def __init__(self, rngs):
        self.linear = nnx.Linear(2, 3, rngs=rngs)
        self.norm = nnx.BatchNorm(3, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)
    def __call__(self, x):
        return self.drop(self.norm(self.linear(x)))

def step(model, x):
    return nnx.value_and_grad(lambda model: jnp.mean(model(x) ** 2))(model)
"""
GRADIENT_DRIVE = """
import jax.numpy as jnp
from flax import nnx

def drive(program):
    model = program.Net(nnx.Rngs(0))
    x = jnp.arange(6.0).reshape(3, 2)
    return [program.step(model, x) for _ in range(2)], model
"""
AXES_BEFORE = """
import jax.numpy as jnp
from flax import nnx

class Net(nnx.Module):
    def __init__(self):
        self.kernel = nnx.Param(jnp.arange(4.0).reshape(2, 2) ** 2)
        self.scale = nnx.Variable(jnp.array([1.0, 2.0]))

def forward(model, x):
    axes = nnx.StateAxes({nnx.Param: 0, ...: None})
    return nnx.vmap(lambda m, x: m.kernel[...] * m.scale[...] + x, in_axes=(axes, None))(model, x)
"""
AXES = """
import jax.numpy as jnp
from flax import nnx

class Net(nnx.Module):
    def __init__(self):
        self.kernel = nnx.Param(jnp.arange(4.0).reshape(2, 2) ** 2)
        self.scale = nnx.Variable(jnp.array([1.0, 2.0]))

def forward(model, x):
    graphdef, params, rest = nnx.split(model, nnx.Param, ...)
    def run(params, rest, x):
        m = nnx.merge(graphdef, params, rest)
        return m.kernel[...] * m.scale[...] + x
    return nnx.vmap(run, in_axes=(0, None, None))(params, rest, x)
"""
AXES_DRIVE = """
import jax.numpy as jnp

def drive(program):
    model = program.Net()
    return program.forward(model, jnp.ones((2,))), model
"""

Runner = Callable[[dict[str, tuple[str, str]], Mode], dict[str, Result]]


@pytest.fixture
def run(tmp_path: Path) -> Runner:
    """Writes programs with their drivers down and runs them in one process."""

    def write_and_run(programs: dict[str, tuple[str, str]], mode: Mode) -> dict[str, Result]:
        jobs = []
        for name, (program, drive) in programs.items():
            folder = tmp_path / name
            folder.mkdir(exist_ok=True)
            (folder / "program.py").write_text(program)
            (folder / "drive.py").write_text(drive)
            jobs.append((name, folder / "program.py", folder / "drive.py"))
        return run_programs(jobs, mode)

    return write_and_run


@pytest.mark.runs_jax
def test_wrong_migrations_are_seen(run: Runner) -> None:
    before = run(
        {"gradient": (GRADIENT_BEFORE, GRADIENT_DRIVE), "axes": (AXES_BEFORE, AXES_DRIVE)}, "graph"
    )
    copied = GRADIENT.replace(
        "params, nondiff)\n        return", "params, nondiff, copy=True)\n        return"
    )
    closed = GRADIENT.replace("def loss_fn(params, nondiff)", "def loss_fn(params)").replace(
        "(loss_fn)(params, nondiff)", "(loss_fn)(params)"
    )
    swapped_in = AXES.replace("in_axes=(0, None, None)", "in_axes=(1, None, None)")
    swapped_out = AXES.replace("in_axes=(0, None, None)", "in_axes=(0, None, None), out_axes=1")
    assert len({GRADIENT, copied, closed, AXES, swapped_in, swapped_out}) == 6
    programs = {
        "gradient": (GRADIENT, GRADIENT_DRIVE),
        "copied": (copied, GRADIENT_DRIVE),
        "closed": (closed, GRADIENT_DRIVE),
        "axes": (AXES, AXES_DRIVE),
        "swapped-in": (swapped_in, AXES_DRIVE),
        "swapped-out": (swapped_out, AXES_DRIVE),
    }
    modes: tuple[Mode, Mode] = ("graph", "tree")
    for mode in modes:
        after = run(programs, mode)
        assert difference(before["gradient"], after["gradient"]) is None
        assert difference(before["axes"], after["axes"]) is None
        # The second step draws the keys of the first again: its loss is the first to differ.
        found = difference(before["gradient"], after["copied"]) or ""
        assert found.startswith("0/1/0: expected ")
        assert " float32, got " in found
        assert "raised TraceContextError" in (difference(before["gradient"], after["closed"]) or "")
        for swapped in ("swapped-in", "swapped-out"):
            assert (difference(before["axes"], after[swapped]) or "").startswith("0[")


VALUES = """
import jax, jax.numpy as jnp
from flax import nnx

class Net(nnx.Module):
    def __init__(self, size=2, dtype=jnp.float32, names=("a",), kind=nnx.Param, limit=3):
        self.kernel = kind(jnp.ones((size,), dtype), out_sharding=names, eager_sharding=False)
        self.rngs = nnx.Rngs(0)
        self.limit = limit
        self._private = object()
        self.function = lambda x: x
"""
VALUES_DRIVE = """
import jax, jax.numpy as jnp
from flax import nnx

def drive(program):
    def changed(change):
        model = program.Net()
        change(model)
        return model
    return RETURNED
"""
# What a driver returns, and where that first differs from program.Net().
DIFFERENCES = {
    "program.Net(size=3)": "kernel/value",
    "program.Net(dtype=jnp.float16)": "kernel/value",
    "program.Net(names=('b',))": "kernel/out_sharding/0",
    "program.Net(kind=nnx.BatchStat)": "kernel",
    "program.Net(limit=4)": "limit",
    "program.Net(limit=3.0)": "limit",
    "nnx.state(program.Net())": "the result itself",
    "changed(lambda m: m.rngs())": "rngs/default/count/value",
    "changed(lambda m: m.rngs.default.key.set_value(jax.random.key(5)))": "rngs/default/key/value",
    "changed(lambda m: m.kernel.set_value(m.kernel + 1e-6))": "kernel/value",
    "changed(lambda m: setattr(m, 'extra', nnx.Param(1.0)))": "extra",
    "changed(lambda m: delattr(m, 'kernel'))": "kernel",
}


@pytest.mark.runs_jax
def test_differences_are_seen(run: Runner) -> None:
    returned = ["program.Net()", "changed(lambda m: None)", *DIFFERENCES]
    results = run(
        {
            str(number): (VALUES, VALUES_DRIVE.replace("RETURNED", expression))
            for number, expression in enumerate(returned)
        },
        "graph",
    )
    found = {
        expression: difference(results["0"], results[str(number)])
        for number, expression in enumerate(returned)
    }
    assert found.pop("program.Net()") is None
    assert found.pop("changed(lambda m: None)") is None
    assert {
        name: (text or "").split(": ")[0].split("[")[0] for name, text in found.items()
    } == DIFFERENCES


@pytest.mark.runs_jax
def test_programs_do_not_see_each_other(tmp_path: Path) -> None:
    jobs = []
    for number in range(2):
        folder = tmp_path / str(number)
        (folder / "program").mkdir(parents=True)
        (folder / "program" / "main.py").write_text("import losses\n")
        (folder / "program" / "losses.py").write_text(f"VALUE = {number}\n")
        (folder / "drive.py").write_text("def drive(program):\n    return program.losses.VALUE\n")
        jobs.append((str(number), folder / "program", folder / "drive.py"))
    jobs.append(("absent", tmp_path / "absent.py", tmp_path / "0" / "drive.py"))
    results = run_programs(jobs, "tree")
    assert results["0"].form == {"": Plain("plain", "int 0")}
    assert results["1"].form == {"": Plain("plain", "int 1")}
    assert results["absent"].form is None
    assert "FileNotFoundError" in results["absent"].error


MODE = """
from flax.configurations import config
from flax import nnx

def drive(program):
    return (
        config.nnx_graph_mode,
        config.nnx_graph_updates,
        nnx.set_graph_mode.current_value(),
        nnx.set_graph_updates.current_value(),
        program.VALUE,
    )
"""
# What a program may set for the whole process, and the next must not see.
SET_MODE = """
from flax.configurations import config
from flax import nnx

VALUE = "set"
nnx.set_graph_mode(not config.nnx_graph_mode)
nnx.set_graph_updates(not config.nnx_graph_updates)
config.update("nnx_graph_mode", not config.nnx_graph_mode)
config.update("nnx_graph_updates", not config.nnx_graph_updates)
"""


@pytest.mark.runs_jax
def test_each_run_has_its_mode_and_its_programs(tmp_path: Path) -> None:
    (tmp_path / "drive.py").write_text(MODE)
    texts = {"set": SET_MODE, "one": "VALUE = 'one'", "two": "VALUE = 'two'"}
    for name, text in texts.items():
        (tmp_path / f"{name}.py").write_text(text)

    def programs(names: list[str]) -> list[tuple[str, Path, Path]]:
        # Of one name, so that they meet in one process and can be taken for each other.
        drive = tmp_path / "drive.py"
        return [(str(n), tmp_path / f"{name}.py", drive) for n, name in enumerate(names)]

    runs: list[tuple[str, Mode]] = [
        ("one", "graph"),
        ("one", "tree"),
        ("two", "graph"),
        ("two", "tree"),
    ]
    found = run_matrix([(programs(["set", *[name] * 20]), mode) for name, mode in runs])
    for (name, mode), results in zip(runs, found, strict=True):
        told = [
            [leaf.text for leaf in result.form.values() if isinstance(leaf, Plain)][1:]
            for result in results.values()
            if result.form
        ]
        assert told[0] == [f"bool {mode != 'graph'}"] * 4 + ["str 'set'"]
        assert told[1:] == [[f"bool {mode == 'graph'}"] * 4 + [f"str {name!r}"]] * 20
