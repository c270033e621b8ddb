"""Rewrites that are checked when they are traced raise, in both modes, where the check fails."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from nnx_migrate.core.findings import Proof
from nnx_migrate.sources.configuration import Options
from tests.golden.migration import migrate_tree
from tests.hazards.running import migrated

_TRAINER = """\
import jax.numpy as jnp
from flax import nnx


def step(model: nnx.Module, x):
    def loss_fn(model):
        return jnp.mean(model(x) ** 2)

    return nnx.grad(loss_fn)(model)
"""
_CALLED_ELSEWHERE = """\
import jax.numpy as jnp
from flax import nnx


def loss_fn(model, x):
    return jnp.mean(model(x) ** 2)


def step(model: nnx.Module, x):
    grad_fn = nnx.grad(loss_fn)

    def run():
        return grad_fn(model, x)

    return run()
"""
_DECORATED = """\
import jax.numpy as jnp
from flax import nnx


def step(model: nnx.Module, x):
    @nnx.value_and_grad(has_aux=True)
    def loss_fn(model):
        y = model(x)
        return jnp.mean(y ** 2), y

    return loss_fn(model)
"""
#: At its end the name of the model is that of something else: the check stands around the loss.
_BOUND_ANEW = """\
import jax.numpy as jnp
from flax import nnx


def step(model: nnx.Module, x):
    def loss_fn(model):
        y = model(x)
        model = None
        return jnp.mean(y ** 2)

    return nnx.grad(loss_fn)(model)
"""
#: What a model of another program may do when it is called.
_CHANGES = {
    "sown": "self.sow(nnx.Intermediate, 'h', x)",
    "new attribute": "self.seen = nnx.Variable(x)",
    "static attribute": "self.calls += 1",
    "mode": "self.eval()",
    "replaced Variable": "self.total = nnx.BatchStat(self.total[...] + 1)",
    "deleted": "del self.total",
}
_DRIVER = """\
import sys

import jax
import jax.numpy as jnp
from flax import nnx

from trainer import step

CHANGES = {changes!r}


def net(change):
    space = {{"nnx": nnx, "jnp": jnp}}
    exec(f'''
class Net(nnx.Module):
    def __init__(self, rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)
        self.total = nnx.BatchStat(jnp.zeros(()))
        self.calls = 0

    def __call__(self, x):
        {{change}}
        return self.drop(self.linear(x))
''', space)
    return space["Net"](nnx.Rngs(0))


for mode in (True, False):
    nnx.set_graph_mode(mode)
    nnx.set_graph_updates(mode)
    for run in (step, nnx.jit(step)):
        for name, change in CHANGES.items():
            try:
                run(net(change), jnp.ones((3, 2)))
            except (ValueError, jax.errors.TracerBoolConversionError) as error:
                # Two arrays that are traced cannot be compared: that raises in the same line.
                print(name, "|", "must keep its structure" in str(error) or "replaced" in name)
            else:
                print(name, "|", "passes")
"""


def test_the_evidence_says_that_it_is_checked() -> None:
    (finding,) = migrated(_TRAINER).findings
    assert [each.proof for each in finding.evidence] == [Proof.PROVED, Proof.CHECKED]


def test_without_trace_checks_it_is_pinned() -> None:
    options = Options(trace_checks=False)
    result = migrate_tree({"main.py": _TRAINER.encode()}, options)["main.py"]
    assert b"nnx.compat.grad(loss_fn)" in result.after


_SOWS = """\
from flax import nnx


class Sower(nnx.Module):
    def __init__(self, rngs):
        self.linear = {part}

    def __call__(self, x):
        self.sow(nnx.Intermediate, "h", x)
        return x
"""
#: A class whose call changes its object, and that is no nnx.Module, or may be one.
_OTHER = """\
import elsewhere
import jax
from flax import linen


{decorator}
class Sower{bases}:
    def __call__(self, x):
        self.seen = x
        return x
"""
_TREE = "@jax.tree_util.register_pytree_node_class"
_PARAMS = "nnx.Linear(2, 2, rngs=rngs)"
_MAIN = """\
from sower import Sower
import trainer

run = getattr(trainer, input())
"""


@pytest.mark.parametrize(
    ("files", "checked"),
    [
        pytest.param({"sower.py": _SOWS.format(part=_PARAMS)}, True, id="of another program"),
        pytest.param(
            {"sower.py": _SOWS.format(part=_PARAMS), "main.py": _MAIN}, False, id="of one program"
        ),
        pytest.param(
            {"sower.py": _SOWS.format(part=_PARAMS), "main.py": "from sower import Sower"},
            True,
            id="imported by a file that does not import the trainer",
        ),
        pytest.param(
            {"sower.py": _SOWS.format(part="nnx.BatchStat(0.0)"), "main.py": _MAIN},
            True,
            id="without Params",
        ),
        pytest.param(
            {"sower.py": _SOWS.format(part="rngs"), "main.py": _MAIN}, False, id="of unknown parts"
        ),
        pytest.param(
            {
                "sower.py": _OTHER.format(decorator="", bases="(linen.Module)"),
                "main.py": _MAIN,
            },
            True,
            id="of linen",
        ),
        pytest.param(
            {"sower.py": _OTHER.format(decorator=_TREE, bases=""), "main.py": _MAIN},
            True,
            id="of another tree",
        ),
        pytest.param(
            {
                "sower.py": _OTHER.format(decorator="", bases="(elsewhere.Base)"),
                "main.py": _MAIN,
            },
            False,
            id="of an unknown base",
        ),
    ],
)
def test_classes_in_sight_that_may_be_differentiated_are_pinned(
    files: dict[str, str], checked: bool
) -> None:
    sources = {"trainer.py": _TRAINER, **files}
    results = migrate_tree({path: text.encode() for path, text in sources.items()}, Options())
    after = results["trainer.py"].after
    assert (b"raise ValueError" in after) == checked
    assert (b"nnx.compat.grad" in after) != checked


_HANDED_IN = """\
from collections.abc import Callable
from typing import Any

import jax
from flax import nnx

{more}
def step(model: nnx.Module, teacher{annotation}, loss: Callable, x: jax.Array):
    return nnx.grad({loss}, has_aux=True)(model, {argument})
"""


@pytest.mark.parametrize(
    ("changed", "checked"),
    [
        pytest.param({}, True, id="loss not in sight"),
        pytest.param({"annotation": ": Any", "argument": "teacher"}, True, id="other argument"),
        pytest.param(
            {"annotation": ": nnx.Module", "argument": "teacher"}, False, id="other Module"
        ),
        pytest.param(
            {"more": "def loss(model, x):\n    model.train()\n"}, False, id="changes in sight"
        ),
        pytest.param(
            {
                "annotation": ": Any",
                "argument": "teacher",
                "more": "def loss(model, other):\n    other.train()\n",
            },
            False,
            id="changes of another argument in sight",
        ),
        pytest.param({"loss": "LOSSES[loss]", "more": "LOSSES = {}\n"}, False, id="looked up"),
        pytest.param({"loss": "getattr(losses, 'a')"}, False, id="by text"),
        pytest.param({"argument": "*x"}, False, id="unpacked"),
    ],
)
def test_losses_that_are_handed_in(changed: dict[str, str], checked: bool) -> None:
    standing = {"more": "", "annotation": "", "loss": "loss", "argument": "x"}
    after = migrated(_HANDED_IN.format(**standing | changed)).after
    assert (b"raise ValueError" in after) == checked
    assert (b"nnx.compat.grad" in after) != checked


_BESIDE = """\
import jax.numpy as jnp
from flax import nnx

from handed_in import step

model = nnx.BatchNorm(2, rngs=nnx.Rngs(0))
RETURNED = {
    "Variable": lambda m: m.mean,
    "State": lambda m: {"state": nnx.state(m)},
    "Module": lambda m: m,
    "array": lambda m: m.mean[...],
}
for mode in (True, False):
    nnx.set_graph_mode(mode)
    nnx.set_graph_updates(mode)
    for name, returned in RETURNED.items():
        try:
            _, aux = step(model, None, lambda m, x: (jnp.mean(m(x)), returned(m)), jnp.ones((3, 2)))
        except ValueError as error:
            print(name, "|", "Duplicate" in str(error))
        else:
            print(name, "|", aux is model.mean if name == "Variable" else "passes")
"""


@pytest.mark.runs_jax
def test_parts_of_the_module_beside_the_loss_raise_in_tree_mode(tmp_path: Path) -> None:
    standing = {"more": "", "annotation": "", "loss": "loss", "argument": "x"}
    handed_in = migrated(_HANDED_IN.format(**standing)).after
    tmp_path.joinpath("handed_in.py").write_bytes(handed_in)
    driver = tmp_path / "driver.py"
    driver.write_text(_BESIDE)
    done = subprocess.run(
        [sys.executable, driver], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    graph = ["Variable | True", "State | passes", "Module | passes", "array | passes"]
    tree = ["Variable | True", "State | True", "Module | True", "array | passes"]
    assert done.stdout.splitlines() == graph + tree


@pytest.mark.runs_jax
@pytest.mark.parametrize("program", [_TRAINER, _CALLED_ELSEWHERE, _DECORATED, _BOUND_ANEW])
def test_a_structure_that_changes_raises(program: str, tmp_path: Path) -> None:
    trainer = tmp_path / "trainer.py"
    trainer.write_bytes(migrated(program).after)
    changes = {"nothing": "pass", "in place": "self.total[...] += 1", **_CHANGES}
    driver = trainer.with_name("driver.py")
    driver.write_text(_DRIVER.format(changes=changes))
    done = subprocess.run(
        [sys.executable, driver], capture_output=True, text=True, check=True, cwd=trainer.parent
    )
    expected = [f"{name} | {name in _CHANGES or 'passes'}" for name in changes] * 4
    assert done.stdout.splitlines() == expected


_POPS = """\
import jax
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x):
        y = self.drop(self.linear(x))
        self.sow(nnx.Intermediate, "h", y)
        return y


@nnx.jit
def train(model: Net, x):
    def loss_fn(model: Net):
        y = model(x)
        sown = nnx.pop(model, nnx.Intermediate)
        return jnp.mean(y**2) + len(jax.tree.leaves(sown))

    return nnx.value_and_grad(loss_fn)(model)[0]


@nnx.jit
def evaluate(model: Net, x):
    y = model(x)
    sown = nnx.pop(model, nnx.Intermediate)
    return jnp.mean(y) + len(jax.tree.leaves(sown))
"""
_LEAVES = """\
import jax.numpy as jnp
from flax import nnx

from trainer import Net, evaluate, train

for mode in (True, False):
    nnx.set_graph_mode(mode)
    nnx.set_graph_updates(mode)
    for run in (train, evaluate):
        for left in (False, True):
            model = Net(nnx.Rngs(0))
            if left:
                model(jnp.ones((3, 2)))
            try:
                run(model, jnp.ones((3, 2)))
                run(model, jnp.ones((3, 2)))
            except ValueError as error:
                print(left, "must keep its structure" in str(error))
            else:
                print(left, "passes")
"""


@pytest.mark.runs_jax
def test_sown_values_of_a_caller_that_a_pop_would_take_raise(tmp_path: Path) -> None:
    result = migrated(_POPS)
    assert b"compat" not in result.after
    tmp_path.joinpath("trainer.py").write_bytes(result.after)
    driver = tmp_path / "driver.py"
    driver.write_text(_LEAVES)
    done = subprocess.run(
        [sys.executable, driver], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert done.stdout.splitlines() == ["False passes", "True True"] * 4
