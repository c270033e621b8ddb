"""`nnx-migrate apply -`: an editor or a hook hands over one text and gets one back."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.cli.conftest import TRAIN, Command


def test_the_result_is_what_apply_writes(command: Command, project: Path) -> None:
    done = command("apply", "-", "--stdin-filename", "src/train.py", stdin=TRAIN)
    assert done.code == 0
    assert "src/train.py:18:19: module-gradient: rewritten: " in done.err
    assert (project / "train.py").read_bytes() == TRAIN
    assert command("apply", "src").code == 0
    assert done.out == (project / "train.py").read_bytes()


def test_facts_come_from_the_project_around_the_name(command: Command, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").touch()
    head, tail = TRAIN.split(b"def train_step")
    package = tmp_path / "pkg"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "net.py").write_bytes(head)
    step = (
        b"import jax.numpy as jnp\nfrom flax import nnx\nfrom .net import Net\n\n\ndef train_step"
        + tail
    )
    done = command("apply", "-", "--stdin-filename", "pkg/step.py", stdin=step)
    assert done.code == 0
    assert b"nnx.merge" in done.out
    assert not (package / "step.py").exists()


def test_a_patch_instead_of_the_text(command: Command, project: Path, tmp_path: Path) -> None:
    done = command("apply", "-", "--stdin-filename", "src/train.py", "--diff", stdin=TRAIN)
    assert done.code == 1
    assert done.out.startswith(b"--- a/src/train.py\n")
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    subprocess.run(["git", "apply", "-"], input=done.out, cwd=tmp_path, check=True)
    assert b"nnx.merge" in (project / "train.py").read_bytes()


def test_a_text_without_work_comes_back_as_it_was(command: Command) -> None:
    for data in (b"", b"x = 1\r\n", b"\xef\xbb\xbfx = 1"):
        done = command("apply", "-", stdin=data)
        assert (done.code, done.out) == (0, data)


def test_a_text_that_cannot_be_done_comes_back_as_it_was(command: Command) -> None:
    for data in (b"from flax import nnx\ndef (:\n", b"\xff\n", b"nnx\0"):
        done = command("apply", "-", "--stdin-filename", "a.py", stdin=data)
        assert (done.code, done.out) == (1, data)
        assert "failed: " in done.err


def test_wrong_use(command: Command, project: Path) -> None:
    assert command("apply", "-", "src").code == 2
    done = command("apply", "src", "--stdin-filename", "a.py")
    assert done.code == 2
    assert "--stdin-filename needs '-'" in done.err
