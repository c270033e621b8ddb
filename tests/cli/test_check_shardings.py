"""`nnx-migrate check` on two devices: where results lie is compared, or said not to be."""

from __future__ import annotations

import functools
import json
from pathlib import Path

import pytest

from tests.cli.conftest import Command

pytestmark = pytest.mark.runs_jax

OLD = """\
import jax
import jax.numpy as jnp
from flax import nnx
from jax.lax import with_sharding_constraint
from jax.sharding import NamedSharding, PartitionSpec as P

MESH = jax.make_mesh((2,), ("data",), axis_types=(jax.sharding.AxisType.Auto,))


def split(*names):
    return NamedSharding(MESH, P(*names))


def lost(x):
    return jax.device_put(x * 1.5, split("data"))


def spelled(x):
    return jax.device_put(1.5 * x, split("data"))


def other_axis(x):
    return jax.device_put(x, split("data", None))


def constrained(x):
    return jax.jit(lambda y: with_sharding_constraint(y + 2, split("data")))(x)


def kept(x):
    return jax.jit(lambda y: with_sharding_constraint(y * 2, split("data")))(x)


def held(x):
    return nnx.Param(x, out_sharding=("data", None), eager_sharding=False)


def rounded(x):
    return jax.device_put(jnp.sum(x * 0.1, axis=1), split("data"))
"""
CHANGES = {
    'jax.device_put(x * 1.5, split("data"))': "x * 1.5",
    '(1.5 * x, split("data"))': '(x * 1.5, split("data", None))',
    '(x, split("data", None))': '(x, split(None, "data"))',
    'lambda y: with_sharding_constraint(y + 2, split("data"))': "lambda y: y + 2",
    "y * 2, split": "2 * y, split",
    'out_sharding=("data", None)': 'out_sharding=(None, "data")',
    '(jnp.sum(x * 0.1, axis=1), split("data"))': "(jnp.sum(x, axis=1) * 0.1, split())",
}
NEW = functools.reduce(lambda text, change: text.replace(*change), CHANGES.items(), OLD)
NAMES = ("lost", "spelled", "other_axis", "constrained", "kept", "held", "rounded")


def test_where_results_lie_is_compared(
    tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XLA_FLAGS", "--xla_force_host_platform_device_count=2")
    for side, text in (("old", OLD), ("new", NEW)):
        (tmp_path / side).mkdir()
        (tmp_path / side / "work.py").write_text(text)
    cases = "\n\n".join(
        f"def case_{name}(x: f32[4, 4]):\n    return work.{name}, (x,)\n" for name in NAMES
    )
    (tmp_path / "cases.py").write_text(
        f"import work\nfrom nnx_migrate.check import f32\n\n\n{cases}"
    )
    asked = ("check", "old", "new", "--cases", "cases.py", "--platform", "cpu")
    document = json.loads(command(*asked, "--format", "json").out)
    found = {case["name"].removeprefix("cases.py:"): case for case in document["cases"]}
    verdicts = {name: case["verdict"] for name, case in found.items()}
    assert verdicts == {
        "lost": "different",
        "spelled": "proved",
        "other_axis": "different",
        "constrained": "different",
        "kept": "proved",
        "held": "different",
        "rounded": "different",
    }, document
    column = found["lost"]["columns"]["new@tree"]
    assert "in shards of [2, 4] on 2 devices" in column["difference"]["old"]
    assert column["difference"]["new"].endswith("on one device")
    assert (
        "in shards of [4, 2] on 2"
        in found["other_axis"]["columns"]["new@tree"]["difference"]["new"]
    )
    note = "the shardings are the same; the placement of results is not compared"
    assert found["kept"]["columns"]["new@tree"]["notes"] == [note]


RECORDED = """\
def scaled(x):
    return x * 2, len(x.sharding.device_set)
"""
RUN = """\
import jax
import jax.numpy as jnp
import work
from jax.sharding import NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((2,), ("data",), axis_types=(jax.sharding.AxisType.Auto,))
work.scaled(jax.device_put(jnp.arange(4.0), NamedSharding(mesh, P("data"))))
"""


@pytest.mark.parametrize(
    ("new", "verdict", "told"),
    [
        ("2 * x", "equal", ""),
        ("jax.device_put(x * 2, jax.devices()[0])", "different", "in shards of [2] on 2 devices"),
    ],
)
def test_recorded_arrays_lie_on_as_many_devices_again(
    tmp_path: Path,
    command: Command,
    monkeypatch: pytest.MonkeyPatch,
    new: str,
    verdict: str,
    told: str,
) -> None:
    monkeypatch.setenv("XLA_FLAGS", "--xla_force_host_platform_device_count=2")
    for side, result in (("old", "x * 2"), ("new", new)):
        (tmp_path / side).mkdir()
        work = "import jax\n\n\n" + RECORDED.replace("x * 2", result)
        (tmp_path / side / "work.py").write_text(work)
        (tmp_path / side / "run.py").write_text(RUN)
    asked = ("check", "old", "new", "--platform", "cpu", "--format", "json")
    document = json.loads(command(*asked, "--", "python", "run.py").out)
    (case,) = document["cases"]
    assert case["verdict"] == verdict, document
    assert told in str(case["columns"]["new@tree"]["difference"])
    if verdict == "equal":
        monkeypatch.setenv("XLA_FLAGS", "--xla_force_host_platform_device_count=1")
        one = ("--recording", ".nnx-migrate/recording.sqlite")
        (case,) = json.loads(command(*asked, *one, "--no-cache").out)["cases"]
        column = case["columns"]["new@tree"]
        assert column["verdict"] == "not checked"
        assert "a mesh of 2 devices, and this machine has 1" in column["reason"]
