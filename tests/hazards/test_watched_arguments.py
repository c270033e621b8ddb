"""What a loss or a jitted function hands on to code out of sight is checked when it is traced."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from nnx_migrate.sources.configuration import Options
from tests.golden.migration import migrate_tree
from tests.hazards.running import migrated

_STEP = """\
import jax
import jax.numpy as jnp
from flax import nnx


@nnx.dataclass
class Batch(nnx.Pytree):
    x: jax.Array = nnx.data()
    notes: dict = nnx.data()
    total: nnx.BatchStat = nnx.data()
    rank: int = nnx.static(default=1)


{more}
def step(model: nnx.Module, batch: Batch, weigh):
    def loss_fn(model, batch{named}):
        {first}
        return jnp.mean(model(batch.x) ** 2) * weigh({handed})

    return nnx.grad(loss_fn)(model, {argument})
"""
_STANDING = {"more": "", "named": "", "first": "pass", "handed": "batch", "argument": "batch"}


def _program(**changed: str) -> str:
    return _STEP.format(**_STANDING | changed)


@pytest.mark.parametrize(
    ("changed", "checked"),
    [
        pytest.param({}, True, id="handed on"),
        pytest.param({"handed": "batch.notes"}, True, id="a part of it is handed on"),
        pytest.param({"argument": "batch=batch"}, False, id="by name"),
        pytest.param({"first": "batch.rank += 1"}, False, id="set in the loss"),
        pytest.param({"first": "batch.notes['a'] = 0"}, False, id="an element is replaced"),
        pytest.param({"first": "exec(batch)"}, False, id="by a text"),
        pytest.param(
            {"more": "def weigh(batch):\n    batch.rank = 2\n\n\n"}, False, id="changed in sight"
        ),
    ],
)
def test_what_is_handed_on(changed: dict[str, str], checked: bool) -> None:
    after = migrated(_program(**changed)).after
    assert (b"raise ValueError" in after) == checked
    assert (b"nnx.compat.grad" in after) != checked


def test_without_trace_checks_it_is_pinned() -> None:
    options = Options(trace_checks=False)
    result = migrate_tree({"main.py": _program().encode()}, options)["main.py"]
    assert b"nnx.compat.grad(loss_fn)" in result.after


def test_a_gradient_that_is_not_rewritten_is_pinned() -> None:
    program = _program().replace("model: nnx.Module, batch", "x, batch").replace("model", "x")
    assert b"nnx.compat.grad(loss_fn)" in migrated(program.replace("x(batch.x)", "x")).after


def test_the_new_code_needs_no_more_checks() -> None:
    once = migrated(_program()).after
    assert migrated(once.decode()).after == once


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("if nnx.split((model, batch)) !=", "if nnx.split((model, other)) !="),
        ("if nnx.split((model, batch)) !=", "if nnx.split((other, batch)) !="),
        ("if nnx.split((model, batch)) !=", "if nnx.split(batch) !="),
        ("if nnx.split((model, batch)) !=", "if nnx.split((model, batch)) =="),
        ("before = nnx.split((model, batch))", "before = nnx.clone((model, batch))"),
        ("before = nnx.split((model, batch))", "before = nnx.split((model, batch.notes))"),
        ("nnx.split((model, batch))", "nnx.split((model, batch.notes))"),
        ("nnx.split((model, batch))", "nnx.split((model, batch), nnx.Param, ...)"),
        ("        loss = ", "        before = nnx.split((model, batch))\n        loss = "),
        ("        return loss\n", "        weigh(batch)\n        return loss\n"),
    ],
)
def test_a_check_of_another_kind_is_none(old: str, new: str) -> None:
    once = migrated(_program()).after.decode()
    changed = once.replace(old, new)
    assert changed != once
    assert b"nnx.compat.grad" in migrated(changed).after


_CHANGES = {
    "new attribute": "batch.seen = nnx.data(jnp.ones(()))",
    "static attribute": "batch.rank = 2",
    "array": "batch.x = batch.x * 2",
    "new element": "batch.notes['seen'] = jnp.ones(())",
    "element": "batch.notes['a'] = batch.notes['a'] + 1",
    "replaced Variable": "batch.total = nnx.BatchStat(batch.total[...] + 1)",
    "deleted": "del batch.total",
}
_DRIVER = """\
import jax
import jax.numpy as jnp
from flax import nnx

from trainer import Batch, step

for mode in (True, False):
    nnx.set_graph_mode(mode)
    nnx.set_graph_updates(mode)
    for run in (step, nnx.jit(step, static_argnums=2)):
        for name, change in {changes!r}.items():
            def weigh(batch):
                exec(change)
                return 1.0

            total = nnx.BatchStat(jnp.zeros(()))
            batch = Batch(x=jnp.ones((3, 2)), notes={{"a": jnp.ones(2)}}, total=total)
            try:
                run(nnx.Linear(2, 2, rngs=nnx.Rngs(0)), batch, weigh)
            except (ValueError, jax.errors.TracerBoolConversionError):
                print(name, "| raises")
            else:
                print(name, "| passes")
"""


@pytest.mark.runs_jax
def test_a_structure_that_changes_raises(tmp_path: Path) -> None:
    (tmp_path / "trainer.py").write_bytes(migrated(_program()).after)
    changes = {"nothing": "pass", "in place": "batch.total[...] += 1", **_CHANGES}
    driver = tmp_path / "driver.py"
    driver.write_text(_DRIVER.format(changes=changes))
    done = subprocess.run(
        [sys.executable, driver], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    ends = [f"{name} | {'raises' if name in _CHANGES else 'passes'}" for name in changes]
    assert done.stdout.splitlines() == ends * 4


_OF_THE_MODEL = """\
import jax
import jax.numpy as jnp
from flax import nnx

from trainer import Batch, step


class Net(nnx.Linear):
    def __call__(self, x):
        exec(change)
        return super().__call__(x)


for mode in (True, False):
    nnx.set_graph_mode(mode)
    nnx.set_graph_updates(mode)
    for name, change in {changes!r}.items():
        net = Net(2, 2, rngs=nnx.Rngs(0))
        net.total = nnx.BatchStat(jnp.zeros(()))
        batch = Batch(x=jnp.ones((3, 2)), notes={{}}, total=nnx.BatchStat(jnp.zeros(())))
        try:
            step(net, batch, lambda batch: 1.0)
        except (ValueError, jax.errors.TracerBoolConversionError):
            print(name, "| raises")
        else:
            print(name, "| passes", float(net.total[...]))
"""


@pytest.mark.runs_jax
def test_a_model_that_changes_beside_it_raises(tmp_path: Path) -> None:
    after = migrated(_program()).after
    assert b"must keep their structure" in after
    (tmp_path / "trainer.py").write_bytes(after)
    same = {"nothing": ("pass", 0.0), "in place": ("self.total[...] += 1", 1.0)}
    changing = {
        "new attribute": "self.seen = nnx.Variable(x)",
        "static attribute": "self.calls = 1",
        "replaced Variable": "self.total = nnx.BatchStat(self.total[...] + 1)",
        "sown": "self.sow(nnx.Intermediate, 'x', x)",
        "deleted": "del self.total",
    }
    changes = {name: change for name, (change, _) in same.items()} | changing
    driver = tmp_path / "driver.py"
    driver.write_text(_OF_THE_MODEL.format(changes=changes))
    done = subprocess.run(
        [sys.executable, driver], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    ends = [f"{name} | passes {total}" for name, (_, total) in same.items()]
    ends += [f"{name} | raises" for name in changing]
    assert done.stdout.splitlines() == ends * 2


_JITTED = """\
import jax
import jax.numpy as jnp
from flax import nnx


@nnx.dataclass
class Batch(nnx.Pytree):
    x: jax.Array = nnx.data()
    notes: dict = nnx.data()
    total: nnx.BatchStat = nnx.data()
    rank: int = nnx.static(default=1)


{more}
def make_step(weigh):
    {above}@nnx.jit{below}
    def step({parameters}):
        {first}
        total = jnp.sum(batch.x)
        {last}

    return step
"""
_AS_JITTED = {
    "more": "",
    "above": "",
    "below": "",
    "parameters": "batch: Batch",
    "first": "pass",
    "last": "return total * weigh(batch)",
}


def _jitted(**changed: str) -> str:
    return _JITTED.format(**_AS_JITTED | changed)


@pytest.mark.parametrize(
    ("changed", "checked"),
    [
        pytest.param({}, True, id="handed on"),
        pytest.param({"last": "weigh(batch)"}, True, id="nothing is returned"),
        pytest.param({"first": "'What it does.'"}, True, id="behind the docstring"),
        pytest.param({"above": "@print\n    "}, True, id="a decorator above"),
        pytest.param({"below": "\n    @print"}, False, id="a decorator below"),
        pytest.param({"below": "\n    @nnx.vmap"}, False, id="mapped"),
        pytest.param({"first": "if total: return 0"}, False, id="it returns in two places"),
        pytest.param({"first": "weigh(batch); batch = None"}, False, id="the name is bound anew"),
        pytest.param({"first": "batch.rank += 1"}, False, id="set"),
        pytest.param({"first": "exec(batch)"}, False, id="by a text"),
        pytest.param({"parameters": "*, batch: Batch"}, False, id="by keyword alone"),
        pytest.param(
            {"more": "def weigh(batch):\n    batch.rank = 2\n\n\n"}, False, id="changed in sight"
        ),
    ],
)
def test_what_a_jitted_function_hands_on(changed: dict[str, str], checked: bool) -> None:
    after = migrated(_jitted(**changed)).after
    assert (b"raise ValueError" in after) == checked
    assert (b"nnx.compat.jit" in after) != checked


_CALLED = """\
from flax import nnx


def make_step(weigh):
    def step(model: nnx.Linear, x):
        {first}
        return weigh(model(x), model)

    {more}
    return {jitted}
"""


@pytest.mark.parametrize(
    ("changed", "checked"),
    [
        pytest.param({}, True, id="jitted where it is defined"),
        pytest.param({"jitted": "nnx.jit(step, static_argnums=1)"}, True, id="with options"),
        pytest.param({"jitted": "nnx.jit(step), step"}, False, id="it is used otherwise"),
        pytest.param({"more": "step = weigh(step)"}, False, id="its name is bound anew"),
        pytest.param({"first": "if x is None: return 0"}, False, id="it returns in two places"),
        pytest.param({"jitted": "nnx.vmap(step)"}, False, id="mapped"),
    ],
)
def test_what_a_function_hands_on_that_a_call_jits(changed: dict[str, str], checked: bool) -> None:
    standing = {"first": "pass", "more": "pass", "jitted": "nnx.jit(step)"}
    after = migrated(_CALLED.format(**standing | changed)).after
    assert (b"raise ValueError" in after) == checked
    assert (b"nnx.compat." in after) != checked
    assert migrated(after.decode()).after == after


def test_a_jitted_function_is_pinned_without_trace_checks() -> None:
    options = Options(trace_checks=False)
    result = migrate_tree({"main.py": _jitted().encode()}, options)["main.py"]
    assert b"@nnx.compat.jit" in result.after


@pytest.mark.parametrize("last", [_AS_JITTED["last"], "weigh(batch)"])
def test_a_jitted_function_that_checks_needs_no_more(last: str) -> None:
    once = migrated(_jitted(last=last)).after
    assert migrated(once.decode()).after == once


_JITTED_DRIVER = """\
import jax
import jax.numpy as jnp
from flax import nnx

from trainer import Batch, make_step

for mode in (True, False):
    nnx.set_graph_mode(mode)
    nnx.set_graph_updates(mode)
    for name, change in {changes!r}.items():
        def weigh(batch):
            exec(change)
            return 1.0

        total = nnx.BatchStat(jnp.zeros(()))
        batch = Batch(x=jnp.ones((3, 2)), notes={{"a": jnp.ones(2)}}, total=total)
        try:
            make_step(weigh)(batch)
        except (ValueError, jax.errors.TracerBoolConversionError):
            print(name, "| raises")
        else:
            print(name, "| passes", float(batch.total[...]))
"""


@pytest.mark.runs_jax
@pytest.mark.parametrize("last", [_AS_JITTED["last"], "weigh(batch)"])
def test_a_structure_that_a_jitted_function_changes_raises(tmp_path: Path, last: str) -> None:
    (tmp_path / "trainer.py").write_bytes(migrated(_jitted(last=last)).after)
    same = {"nothing": ("pass", 0.0), "in place": ("batch.total[...] += 1", 1.0)}
    changes = {name: change for name, (change, _) in same.items()} | _CHANGES
    driver = tmp_path / "driver.py"
    driver.write_text(_JITTED_DRIVER.format(changes=changes))
    done = subprocess.run(
        [sys.executable, driver], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    ends = [f"{name} | passes {total}" for name, (_, total) in same.items()]
    ends += [f"{name} | raises" for name in _CHANGES]
    assert done.stdout.splitlines() == ends * 2


_TRAINING = """\
import jax.numpy as jnp
from flax import nnx
from library import run


def loss_fn(model, x):
    return jnp.mean(run(model, x) ** 2)


@nnx.jit
def step(model: nnx.Module, optimizer: nnx.Optimizer, x):
    loss, grads = nnx.value_and_grad(loss_fn)(model, x)
    optimizer.update(model, grads)
    {more}
    return loss
"""


def test_what_a_loss_checks_is_not_checked_again_around_it() -> None:
    after = migrated(_TRAINING.format(more="pass")).after
    assert after.count(b"raise ValueError") == 1
    assert b"nnx.compat" not in after


@pytest.mark.parametrize("more", ["run(model, x)", "loss = run(model, loss)"])
def test_what_else_a_jitted_function_hands_on_is(more: str) -> None:
    after = migrated(_TRAINING.format(more=more)).after
    assert after.count(b"raise ValueError") == 2
    assert b"nnx.compat" not in after


@pytest.mark.parametrize("more", ["model.seen = 1", "model = run(model, x)"])
def test_what_is_changed_or_bound_anew_beside_the_loss_is_pinned(more: str) -> None:
    assert b"nnx.compat.jit" in migrated(_TRAINING.format(more=more)).after
