"""`nnx-migrate apply --verify`, through the installed command."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import TRAIN, Command

pytestmark = pytest.mark.runs_jax

CASES = b"""\
import jax.numpy as jnp
from flax import nnx

import train
from nnx_migrate.check import f32


def case_train_step(x: f32[4, 2], model: train.Net):
    return train.train_step, (model, x)
"""
DIFFERENT = b"""\


def case_text(x: f32[4, 2]):
    with open(train.__file__) as file:
        text = file.read()
    return len, (text,)
"""
CONFIG = b'[tool.nnx-migrate.check]\ncases = ["cases.py"]\n'


def project(folder: Path, cases: bytes) -> Path:
    (folder / "pyproject.toml").write_bytes(CONFIG)
    (folder / "cases.py").write_bytes(cases)
    (folder / "train.py").write_bytes(TRAIN)
    return folder / "train.py"


def test_what_is_written_is_checked(tmp_path: Path, command: Command) -> None:
    train = project(tmp_path, CASES)
    done = command("apply", "train.py", "--verify")
    assert train.read_bytes() != TRAIN
    assert "cases.py:train_step" in done.err
    assert "1 case: 1 " in done.err
    assert done.code == 0, done.err


def test_what_differs_is_put_back_where_that_is_asked(tmp_path: Path, command: Command) -> None:
    # A case over the text of the file itself is one that every migration changes.
    train = project(tmp_path, CASES + DIFFERENT)
    kept = command("apply", "train.py", "--verify")
    assert kept.code == 1
    assert train.read_bytes() != TRAIN
    train.write_bytes(TRAIN)
    done = command("apply", "train.py", "--revert-different")
    assert done.code == 1
    assert "put back: train.py" in done.err
    assert train.read_bytes() == TRAIN


def test_a_project_that_names_nothing_to_run_is_told_so(tmp_path: Path, command: Command) -> None:
    (tmp_path / "train.py").write_bytes(TRAIN)
    done = command("apply", "train.py", "--verify")
    assert done.code == 2
    assert "--verify needs to know what to run" in done.err
    assert (tmp_path / "train.py").read_bytes() == TRAIN


def test_verify_needs_something_written(tmp_path: Path, command: Command) -> None:
    (tmp_path / "train.py").write_bytes(TRAIN)
    done = command("apply", "train.py", "--verify", "--dry-run")
    assert done.code == 2
    assert "--verify checks what was written" in done.err
