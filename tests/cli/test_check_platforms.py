"""`nnx-migrate check --platform gpu` with a CPU in the place of the GPU, under its name.

What has to be right before a GPU is ever there: that it is asked for, refused where it is not, and
that cases are traced, run and compared on what answers to its name.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from nnx_migrate.check.run import CheckRequest, environment_of
from nnx_migrate.check.settings import CheckSettings
from tests.cli.conftest import COMMAND

# jax looks for plugins of other makers here. This one says that a CPU is a platform of that name.
_PLUGIN = """\
import jax
from jax._src import xla_bridge


def initialize():
    xla_bridge.hardware_utils.has_visible_nvidia_gpu = lambda: True
    xla_bridge.register_backend_factory("cuda", xla_bridge.make_cpu_client, priority=500)
    jax.default_backend = lambda: "{name}"
"""
_OLD = """\
import os

import jax
import jax.numpy as jnp


def proved(x):
    return x * 2


def platform(x):
    asked = os.environ["JAX_PLATFORMS"], os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"]
    return float(jnp.sum(x * 0)), asked, jax.default_backend()


def wrong(x):
    return jnp.sin(x)
"""
_CASES = """\
import work
from nnx_migrate.check import f32


def case_proved(x: f32[2]):
    return work.proved, (x,)


def case_platform(x: f32[2]):
    return work.platform, (x,)


def case_wrong(x: f32[2]):
    return work.wrong, (x,)
"""
_ASKED = ("check", "old", "new", "--cases", "cases.py", "--platform", "gpu", "--format", "json")


def _checked(folder: Path, name: str) -> tuple[int, dict[str, Any]]:
    """The exit code and report of a check, where a platform of that name answers."""
    new = _OLD.replace("x * 2", "2 * x").replace("sum(x * 0)", "sum(0 * x)")
    for side, text in (("old", _OLD), ("new", new.replace("sin(x)", "cos(x)"))):
        (folder / side).mkdir()
        (folder / side / "work.py").write_text(text)
    (folder / "cases.py").write_text(_CASES)
    plugin = folder / "plugins" / "jax_plugins" / "stand_in" / "__init__.py"
    plugin.parent.mkdir(parents=True)
    plugin.write_text(_PLUGIN.format(name=name))
    environment = {**os.environ, "PYTHONPATH": str(folder / "plugins")}
    done = subprocess.run(
        [COMMAND, *_ASKED], cwd=folder, env=environment, capture_output=True, check=False
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return done.returncode, found


@pytest.mark.runs_jax
def test_cases_run_on_what_answers_to_the_name(
    tmp_path: Path,
) -> None:
    code, document = _checked(tmp_path, "gpu")
    verdicts = {case["name"].removeprefix("cases.py:"): case for case in document["cases"]}
    assert {name: case["verdict"] for name, case in verdicts.items()} == {
        "proved": "proved",
        "platform": "equal",
        "wrong": "different",
    }, document
    assert code == 1


@pytest.mark.runs_jax
def test_another_platform_that_answers_is_refused(
    tmp_path: Path,
) -> None:
    code, document = _checked(tmp_path, "tpu")
    assert (code, document["error"]) == (2, "there is no gpu here; JAX runs on tpu")


def test_a_platform_is_asked_for_by_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XLA_PYTHON_CLIENT_PREALLOCATE", raising=False)
    asked = {
        name: environment_of(CheckRequest(CheckSettings(), platform=name))
        for name in ("cpu", "gpu", "")
    }
    assert asked["cpu"]["JAX_PLATFORMS"] == "cpu"
    assert asked["gpu"]["JAX_PLATFORMS"] == "cuda"
    assert "JAX_PLATFORMS" not in asked[""]
    # Three processes share a GPU.
    shares = {name: found.get("XLA_PYTHON_CLIENT_PREALLOCATE") for name, found in asked.items()}
    assert shares == {"cpu": None, "gpu": "false", "": "false"}
    monkeypatch.setenv("XLA_PYTHON_CLIENT_PREALLOCATE", "true")
    gpu = environment_of(CheckRequest(CheckSettings(), platform="gpu"))
    assert "XLA_PYTHON_CLIENT_PREALLOCATE" not in gpu
