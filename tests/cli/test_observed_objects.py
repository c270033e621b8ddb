"""What runs show of objects: which attributes calls make, replace or delete, and what comes out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Command, Observe
from tests.cli.facts import findings, suite_passes, write_facts

NET = """\
from flax import nnx

HOOKS = {}


class Net(nnx.Module):
    def __init__(self, rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)

    def __call__(self, x):
        return self.linear(x)


def mark(model: Net):
    model.marked = True


@nnx.jit
def step(model: Net, x):
    HOOKS["run"](model)
    return model(x)


def train(model: Net, x):
    def loss(m):
        HOOKS["run"](m)
        return m(x).sum()

    return nnx.grad(loss)(model)


@nnx.jit
def pick(model: Net, x, whole: bool = False):
    if whole:
        return model
    return model(x)


@nnx.jit
def grow(model: Net, name, x):
    setattr(model, name, x)
    return x
"""
TESTS = """\
import jax.numpy as jnp
from flax import nnx

import net


# A name that the code does not show.
getattr(net, "".join(["HOO", "KS"]))["run"] = lambda model: model.linear


def make():
    return net.Net(nnx.Rngs(0))


def test_step():
    assert net.step(make(), jnp.ones((1, 2))).shape == (1, 2)


def test_train():
    assert net.train(make(), jnp.ones((1, 2))).linear.kernel.shape == (2, 2)


def test_pick():
    assert net.pick(make(), jnp.ones((1, 2))).shape == (1, 2)


def test_grow():
    net.grow.__wrapped__(make(), "last", jnp.ones(2))
"""


ALONE: dict[str, Any] = {
    "looks": 3,
    "changes": [],
    "returned": 0,
    "shared": 0,
    "plain": 0,
    "split": 0,
    "beside": [],
}


@pytest.mark.runs_jax
def test_what_unknown_code_never_does_does_not_pin(
    tmp_path: Path, command: Command, observe: Observe
) -> None:
    (tmp_path / "net.py").write_text(NET)
    (tmp_path / "test_net.py").write_text(TESTS)
    before = findings(command)
    before.pop(29)  # what a gradient changes is checked when it is traced
    assert {line: each["outcome"] for line, each in before.items()} == {
        18: "rewritten-checked",
        32: "pinned",
        39: "pinned",
    }
    seen = observe("-m", "pytest", "-q", "test_net.py", of="net.py")
    kept = ALONE | {"looks": 1}
    assert seen["step"]["objects"] == {"model": kept}
    assert seen["train.loss"]["objects"]["m"] == kept
    assert seen["grow"]["objects"]["model"]["changes"] == [".last made"]
    assert seen["train.loss"]["closed_over"]["x"] == ["array"]

    after = findings(command, "--facts", "facts.json")
    assert {line: each["outcome"] for line, each in after.items()} == {
        18: "same",
        29: "rewritten-checked",
        32: "same",
        39: "pinned",
    }
    claims = [each["claim"] for each in after[18]["evidence"]]
    assert "the structure of model never changed in step in 1 call of 1 test of it" in claims
    claims = [each["claim"] for each in after[32]["evidence"]]
    assert "pick never returned model in 1 call of 1 test of it" in claims
    assert command("apply", "net.py", "--facts", "facts.json").code == 0
    for graph in ("true", "false"):
        suite_passes(tmp_path, graph)


@pytest.mark.parametrize(
    ("step", "pick", "pinned"),
    [
        (ALONE, ALONE, set()),
        (ALONE | {"changes": [".last made"]}, ALONE, {18}),
        (ALONE | {"changes": ["?"]}, ALONE, {18}),
        # A check when it is traced needs no runs.
        (ALONE | {"looks": 0}, ALONE | {"looks": 0}, {32}),
        (ALONE, ALONE | {"returned": 1}, {32}),
        # What is returned is no change, and the other way round.
        (ALONE | {"returned": 1}, ALONE | {"changes": [".last made"]}, set()),
        (None, None, {32}),
    ],
)
def test_objects_of_which_that_is_not_known_pin(
    tmp_path: Path,
    command: Command,
    step: dict[str, Any] | None,
    pick: dict[str, Any] | None,
    pinned: set[int],
) -> None:
    (tmp_path / "net.py").write_text(NET)
    objects = {"step": step, "pick": pick}
    more = {path: {"objects": {"model": each}} for path, each in objects.items() if each}
    write_facts(tmp_path, NET, {"step": {}, "pick": {"whole": ["off"]}}, more=more)
    found = findings(command, "--facts", "facts.json")
    assert {line for line, each in found.items() if each["outcome"] == "pinned"} == pinned | {39}


def test_objects_of_a_changed_file_or_of_another_function_say_nothing(
    tmp_path: Path, command: Command
) -> None:
    (tmp_path / "net.py").write_text(NET)
    more = {"step": {"objects": {"model": ALONE}}}
    write_facts(tmp_path, f"{NET}\n", {"step": {}}, more=more)
    assert findings(command, "--facts", "facts.json")[18]["outcome"] == "rewritten-checked"
    # Another parameter was looked at, or the function that was is not the one at the place.
    for path, name in (("step", "x"), ("mark", "model"), ("pick", "model")):
        write_facts(tmp_path, NET, {path: {}}, more={path: {"objects": {name: ALONE}}})
        assert findings(command, "--facts", "facts.json")[18]["outcome"] == "rewritten-checked"


QUIET = """\
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)


@nnx.jit
def step(model: Net, x):
    return model.linear(x)


@nnx.jit
def loud(model: Net, x):
    model.last = x
    return model.linear(x)
"""


def test_a_change_that_a_proof_contradicts_is_told(tmp_path: Path, command: Command) -> None:
    (tmp_path / "net.py").write_text(QUIET)
    changed = {"objects": {"model": ALONE | {"changes": [".linear.bias replaced", "[] made"]}}}
    write_facts(tmp_path, QUIET, {"step": {}, "loud": {}}, more={"step": changed, "loud": changed})
    found = findings(command, "--facts", "facts.json")
    assert {line: (each["rule"], each["outcome"]) for line, each in found.items()} == {
        10: ("observed-facts", "manual"),
        14: ("structural-update", "pinned"),
    }
    assert found[10]["message"].startswith(
        "model.linear.bias was replaced in a recorded run of step, and the code says that nothing"
    )
    kept = {"objects": {"model": ALONE}}
    write_facts(tmp_path, QUIET, {"step": {}, "loud": {}}, more={"step": kept, "loud": kept})
    found = findings(command, "--facts", "facts.json")
    # That it was not seen says nothing against a proof.
    assert {line: each["outcome"] for line, each in found.items()} == {14: "pinned"}


TIED = """\
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs, tie):
        self.embed = nnx.Linear(2, 2, rngs=rngs)
        self.head = self.embed if tie else nnx.Linear(2, 2, rngs=rngs)


@nnx.jit
def step(model: Net, x):
    return model.head(model.embed(x))


def train(model: Net, x):
    def loss(m):
        return m.head(m.embed(x)).sum()

    return nnx.grad(loss)(model)
"""
TIED_RUN = """\
import jax.numpy as jnp
from flax import nnx

import net

tied = net.Net(nnx.Rngs(0), True)
free = net.Net(nnx.Rngs(0), False)
net.step(free, jnp.ones((1, 2)))
net.train(tied, jnp.ones((1, 2)))
"""


@pytest.mark.runs_jax
def test_what_a_place_never_got_twice_does_not_pin_it(
    tmp_path: Path, command: Command, observe: Observe
) -> None:
    (tmp_path / "net.py").write_text(TIED)
    (tmp_path / "run.py").write_text(TIED_RUN)
    before = findings(command)
    assert {line: each["outcome"] for line, each in before.items()} == {
        10: "pinned-mid",
        19: "pinned",
    }
    seen = observe("run.py", of="net.py")
    assert seen["step"]["objects"]["model"]["shared"] == 0
    assert seen["train.loss"]["objects"]["m"]["shared"] == 1
    # Of the class as a whole it is not so, and at the other place it was seen.
    after = findings(command, "--facts", "facts.json")
    assert {line: each["outcome"] for line, each in after.items()} == {10: "same", 19: "pinned"}
    claims = [each["claim"] for each in after[10]["evidence"]]
    assert "model of step never held one thing in two places in 1 call of it" in claims


LEAVES = """\
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, scale, named):
        self.w = nnx.Param(scale)
        self.table = nnx.data({"scale": scale})
        if named:
            self.table = nnx.data({"scale": "two"})

    def __call__(self, x):
        return self.w * x


@nnx.jit
def step(model: Net, x):
    return model(x)


@nnx.jit
def other(model: Net, x):
    return model(2 * x)


def counted(model: Net, x, times=0, key=""):
    @nnx.jit
    def run(model, x):
        if times:
            model.last = x
        if key:
            model.key = key
        return model(x)

    return run(model, x)
"""
LEAVES_RUN = """\
import jax.numpy as jnp

import net

net.step(net.Net(jnp.ones(2), False), jnp.ones(2))
net.other(net.Net(jnp.ones(2), True), jnp.ones(2))
net.counted(net.Net(jnp.ones(2), False), jnp.ones(2), key="")
"""


@pytest.mark.runs_jax
def test_leaves_that_were_always_arrays_do_not_pin(
    tmp_path: Path, command: Command, observe: Observe
) -> None:
    (tmp_path / "net.py").write_text(LEAVES)
    (tmp_path / "run.py").write_text(LEAVES_RUN)
    before = findings(command)
    assert {line: each["outcome"] for line, each in before.items()} == dict.fromkeys(
        (16, 21, 27), "pinned"
    )
    seen = observe("run.py", of="net.py")
    assert seen["step"]["objects"]["model"]["plain"] == 0
    assert seen["other"]["objects"]["model"]["plain"] == 1
    assert seen["counted"]["parameters"]["times"] == ["default"]
    assert seen["counted"]["parameters"]["key"] == ["default"]
    after = findings(command, "--facts", "facts.json")
    assert {line: each["outcome"] for line, each in after.items()} == {
        16: "same",
        21: "pinned",
        27: "same",
    }
    claims = [each["claim"] for each in after[16]["evidence"]]
    assert "model of step never had a leaf that is not an array in 1 call of it" in claims


LATE = """\
from flax import nnx


class Net(nnx.Module):
    def __init__(self, tied=False):
        self.one = nnx.Param(1.0)
        self.two = self.one if tied else nnx.Param(1.0)


def gather(model):
    return nnx.jit(lambda m, x: m.one * x)(model, 2.0)


@nnx.jit
def traced(model, x):
    if x.shape == (3,):
        setattr(model, "last", 1)
    return model.one * x


def batches(model, number):
    for each in range(number):
        if each == 2:
            setattr(model, "given", each)
        yield each
    yield from parts(model)


def parts(model):
    yield model.one


def quiet(model, number):
    for each in range(number):
        yield each
"""
LATE_RUN = """\
import jax.numpy as jnp
import net

for tied in (False, False, True):
    net.gather(net.Net(tied))
for size in (1, 2, 3):
    net.traced(net.Net(), jnp.ones(size))
model = net.Net()
assert list(net.batches(model, 3)) == [0, 1, 2, model.one]
model = net.Net()
for each in net.quiet(model, 3):
    model.other = each
next(net.quiet(model, 3)), sum(net.quiet(net.Net(), 200))
"""


@pytest.mark.runs_jax
def test_no_call_that_matters_is_left_out(tmp_path: Path, observe: Observe) -> None:
    (tmp_path / "net.py").write_text(LATE)
    (tmp_path / "run.py").write_text(LATE_RUN)
    seen_of = observe("run.py", of="net.py")
    objects = {
        name: seen["objects"]["model"]
        for name, seen in seen_of.items()
        if "objects" in seen and "model" in seen["objects"]
    }
    # The third object of a class is another one than the two before.
    assert objects["gather"] == ALONE | {"shared": 1}
    classes = json.loads((tmp_path / "facts.json").read_text())["files"]["net.py"]["classes"]
    assert classes["Net"]["sharing"] == 2  # the function got it, and the lambda
    # All calls that jax traces are looked at.
    assert objects["traced"] == ALONE | {"changes": [".last made"]}
    assert objects["batches"]["changes"] == [".given made"]
    assert (objects["batches"]["looks"], objects["batches"]["returned"]) == (1, 1)
    assert objects["parts"] == ALONE | {"looks": 1, "returned": 1}
    # What its caller does meanwhile is none of a generator's doing; what lies beyond the stops
    # that are looked at is unknown.
    assert objects["quiet"]["looks"] == 3
    assert objects["quiet"]["changes"] == ["?"]
