"""What a loss is given beside its Module, and hands on to code out of sight, is checked."""

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
        ("if nnx.split(batch) != batch_before", "if nnx.split(other) != batch_before"),
        ("if nnx.split(batch) != batch_before", "if nnx.split(batch) == batch_before"),
        ("batch_before = nnx.split(batch)", "batch_before = nnx.clone(batch)"),
        ("        loss = ", "        batch_before = nnx.split(batch)\n        loss = "),
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
