"""Files that change together, through the installed command: all of them, or none."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import Command

NETS = b"""\
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)

    def __call__(self, x):
        y = self.linear(x)
        self.sow(nnx.Intermediate, "hidden", y)
        return y


@nnx.jit
def forward(model: Net, x):
    return model(x)
"""
LOOK = b"""\
from flax import nnx
import nets


def look(x):
    model = nets.Net(nnx.Rngs(0))
    y = nets.forward(model, x)
    return y, nnx.pop(model, nnx.Intermediate)
"""


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    (tmp_path / "pyproject.toml").write_bytes(b"")
    (tmp_path / "nets.py").write_bytes(NETS)
    (tmp_path / "look.py").write_bytes(LOOK)
    return tmp_path / "nets.py", tmp_path / "look.py"


def test_both_files_change(files: tuple[Path, Path], command: Command) -> None:
    nets, look = files
    assert command("apply", ".").code == 0
    assert b"@nnx.capture(nnx.Intermediate)\ndef forward" in nets.read_bytes()
    assert b"y, intermediates = nets.forward(model, x)\n" in look.read_bytes()
    again = command("apply", ".", "--check")
    assert again.code == 0, again.err


def test_a_file_that_is_not_named_keeps_the_other_as_it_is(
    files: tuple[Path, Path], command: Command
) -> None:
    nets, look = files
    done = command("apply", "nets.py")
    assert done.code == 0
    assert b"_forward_and_pop" in nets.read_bytes()
    assert look.read_bytes() == LOOK


def test_one_file_alone_is_not_written(files: tuple[Path, Path], command: Command) -> None:
    nets, look = files
    look.chmod(0o444)
    done = command("apply", ".")
    assert done.code == 1
    assert "look.py, which has to change together with it" in done.out.decode() + done.err
    assert (nets.read_bytes(), look.read_bytes()) == (NETS, LOOK)


def test_a_file_that_cannot_be_done_leaves_the_other_to_itself(
    files: tuple[Path, Path], command: Command
) -> None:
    nets, look = files
    look.write_bytes(LOOK + b"# nnx-migrate: skip-file\n")
    command("apply", ".")
    assert b"_forward_and_pop" in nets.read_bytes()
    assert b"nnx.pop" in look.read_bytes()


def test_what_stands_on_stdin_changes_alone(files: tuple[Path, Path], command: Command) -> None:
    done = command("apply", "-", "--stdin-filename", "nets.py", stdin=NETS)
    assert b"_forward_and_pop" in done.out


@pytest.mark.parametrize("by", ["file", "rule"])
def test_they_are_in_one_patch(files: tuple[Path, Path], command: Command, by: str) -> None:
    nets, look = files
    folder = nets.parent / "patches"
    assert command("apply", ".", "--patch", str(folder), "--patch-by", by).code == 1
    (patch,) = folder.glob("*.patch")
    subprocess.run(["git", "apply", str(patch)], cwd=nets.parent, check=True)
    made = nets.read_bytes(), look.read_bytes()
    nets.write_bytes(NETS)
    look.write_bytes(LOOK)
    command("apply", ".")
    assert (nets.read_bytes(), look.read_bytes()) == made
