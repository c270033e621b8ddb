"""What runs show of what is around a function: modes, meshes, and names that it closes over."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Command, Observe
from tests.cli.facts import findings, write_facts

MESHES = """\
import jax
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 4, rngs=rngs)


def abstract(meshed):
    def made():
        return Net(nnx.Rngs(0))

    if meshed:
        mesh = jax.make_mesh((1,), ("x",), axis_types=(jax.sharding.AxisType.Auto,))
        with jax.set_mesh(mesh):
            return nnx.eval_shape(made)
    return nnx.eval_shape(made)


@nnx.set_graph_mode(False)
def leaves(model):
    return jax.tree.leaves(model)
"""


def outcomes(command: Command, *options: str) -> dict[int, str]:
    return {line: each["outcome"] for line, each in findings(command, *options).items()}


@pytest.mark.runs_jax
@pytest.mark.parametrize("meshed", [False, True])
def test_a_mesh_that_is_never_entered_does_not_pin(
    tmp_path: Path, command: Command, meshed: bool, observe: Observe
) -> None:
    (tmp_path / "net.py").write_text(MESHES)
    run = f"import net\nnet.leaves(net.abstract({meshed}))\n"
    (tmp_path / "run.py").write_text(run)
    assert outcomes(command) == {17: "pinned", 18: "pinned", 21: "same"}
    seen = observe("run.py", of="net.py")
    mesh = "mesh" if meshed else "no mesh"
    assert seen["abstract.made"]["around"] == sorted(["graph mode", "graph updates", mesh])
    assert seen["leaves"]["around"] == ["graph updates", "no mesh", "tree mode"]
    # A place that never ran stays as it is, whatever its function did for another one.
    ran = "pinned" if meshed else "same"
    places = json.loads((tmp_path / "facts.json").read_text())["files"]["net.py"]["places"]
    assert {line: each["ran"] for line, each in places.items()} == {"17": meshed, "18": not meshed}
    there = sorted(["graph mode", "graph updates", mesh])
    assert places["17" if meshed else "18"]["around"] == there
    assert outcomes(command, "--facts", "facts.json") == {17: "pinned", 18: ran, 21: "same"}


MIDDLE = """\
import jax
from flax import nnx


class Net(nnx.Module):
    def __init__(self):
        self.linear = nnx.Linear(2, 4, rngs=nnx.Rngs(0))


def maker(name):
    return globals()[name]


def middle(meshed):
    if meshed:
        mesh = jax.make_mesh((1,), ("x",), axis_types=(jax.sharding.AxisType.Auto,))
        jax.set_mesh(mesh)
    return nnx.eval_shape(maker("Net"))


def step(name, x):
    model = maker(name)()

    def loss(m):
        return m.linear(x).sum()

    nnx.set_graph_mode(False)
    nnx.set_graph_updates(False)
    found = nnx.grad(loss)(model)
    nnx.set_graph_mode(True)
    nnx.set_graph_updates(True)
    return found
"""


@pytest.mark.runs_jax
@pytest.mark.parametrize("meshed", [False, True])
def test_modes_and_meshes_that_are_set_in_the_middle(
    tmp_path: Path, command: Command, meshed: bool, observe: Observe
) -> None:
    (tmp_path / "net.py").write_text(MIDDLE)
    (tmp_path / "run.py").write_text(
        f"import jax.numpy as jnp, net\nnet.step('Net', jnp.ones((1, 2)))\nnet.middle({meshed})\n"
    )
    plain = outcomes(command)
    assert (plain[18], plain[29]) == ("pinned", "pinned")
    observe("run.py")
    places = json.loads((tmp_path / "facts.json").read_text())["files"]["net.py"]["places"]
    assert places["29"] == {"ran": True, "around": ["no graph updates", "no mesh", "tree mode"]}
    assert ("mesh" in places["18"]["around"]) == meshed
    found = findings(command, "--facts", "facts.json")
    # The function that is called is one that nobody can know.
    assert found[18]["outcome"] == ("pinned" if meshed else "same")
    said = [each["claim"] for each in found[18]["evidence"]]
    assert ("no run of this line was under a mesh" in said) != meshed
    assert "each run of this line was in tree mode" in [
        each["claim"] for each in found[29]["evidence"]
    ]


CAPTURED = """\
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)

    def __call__(self, x):
        return self.linear(x)


def made(name):
    return globals()[name](nnx.Rngs(0))


def train(name, x):
    model = made(name)

    def outer(y):
        return nnx.grad(lambda m: m(y).sum())(model)

    return outer(x)
"""


@pytest.mark.parametrize(
    ("closed_over", "outcome"),
    [
        ({"model": ["net.py::Net"], "x": ["array"]}, "rewritten-checked"),
        ({"model": ["net.py::Net", "other"]}, "pinned"),
        ({"model": ["other"]}, "pinned"),
        ({"x": ["net.py::Net"]}, "pinned"),
        ({}, "pinned"),
    ],
)
def test_a_name_that_is_closed_over_is_what_it_was(
    tmp_path: Path, command: Command, closed_over: dict[str, list[str]], outcome: str
) -> None:
    (tmp_path / "net.py").write_text(CAPTURED)
    assert outcomes(command) == {20: "pinned"}
    more: dict[str, dict[str, Any]] = {"train.outer": {"closed_over": closed_over}}
    write_facts(tmp_path, CAPTURED, {"train.outer": {"y": ["array"]}}, more=more)
    assert outcomes(command, "--facts", "facts.json") == {20: outcome}
    # Of another function, or another file, they say nothing.
    write_facts(tmp_path, f"{CAPTURED}\n", {"train.outer": {"y": ["array"]}}, more=more)
    assert outcomes(command, "--facts", "facts.json") == {20: "pinned"}
    more = {"train": {"closed_over": closed_over}}
    write_facts(tmp_path, CAPTURED, {"train": {"x": ["array"]}}, more=more)
    assert outcomes(command, "--facts", "facts.json") == {20: "pinned"}


@pytest.mark.runs_jax
def test_names_that_are_closed_over_are_kept(
    tmp_path: Path, command: Command, observe: Observe
) -> None:
    (tmp_path / "net.py").write_text(CAPTURED)
    (tmp_path / "run.py").write_text(
        "import jax.numpy as jnp, net\nnet.train('Net', jnp.ones((1, 2)))\n"
    )
    seen = observe("run.py", of="net.py")
    assert seen["train.outer"]["closed_over"] == {"model": ["net.py::Net"]}
    assert seen["train.outer.<lambda>"]["parameters"] == {"m": ["net.py::Net"]}
    assert outcomes(command, "--facts", "facts.json") == {20: "rewritten-checked"}


SETTING = """\
from flax import nnx


class Net(nnx.Module):
    def __init__(self):
        self.w = nnx.Param(1.0)

    def __call__(self, x, keep=None):
        if keep == "all":
            setattr(self, f"last_{keep}", x)
        return self.w * x

    def forget(self, x, keep=None):
        if keep == "all":
            setattr(self, "last", x)
            delattr(self, "last")
        return self.w * x


@nnx.jit
def step(model: Net, x):
    return model(x, "none")


@nnx.jit
def forgetting(model: Net, x):
    return model.forget(x, "none")
"""


@pytest.mark.parametrize(
    ("called", "forget", "pinned"),
    [
        ([False], [False, False], set()),
        ([True], [False, False], {20}),
        ([False], [False, True], {25}),
        ([], [], {20, 25}),
        ([False, False], [False], {20, 25}),
    ],
)
def test_a_setattr_that_never_ran_does_not_pin(
    tmp_path: Path, command: Command, called: list[bool], forget: list[bool], pinned: set[int]
) -> None:
    (tmp_path / "net.py").write_text(SETTING)
    assert outcomes(command) == dict.fromkeys((20, 25), "pinned")
    paths: dict[str, dict[str, list[str]]] = {
        path: {} for path in ("Net.__call__", "Net.forget", "step", "forgetting")
    }
    write_facts(tmp_path, SETTING, paths, sows={"Net.__call__": called, "Net.forget": forget})
    found = outcomes(command, "--facts", "facts.json")
    assert {line for line, each in found.items() if each == "pinned"} == pinned


def test_which_calls_of_setattr_ran_is_kept(tmp_path: Path, observe: Observe) -> None:
    text = """\
def write(one, name):
    if name:
        setattr(one, name, 1)
    else:
        one.setattr()
        [setattr(one, "n", 2), delattr(one, "n")]


class Kept:
    def setattr(self):
        pass


write(Kept(), "")
"""
    (tmp_path / "run.py").write_text(text)
    assert observe("run.py", of="run.py")["write"]["sows"] == [False, True, True]
