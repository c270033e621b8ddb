"""A function that sows is called in another file, which need not change with it."""

from __future__ import annotations

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


def test_the_file_that_pops_stays_as_it_is(files: tuple[Path, Path], command: Command) -> None:
    nets, look = files
    assert command("apply", ".").code == 0
    assert b"_forward_and_pop" in nets.read_bytes()
    assert look.read_bytes() == LOOK
    again = command("apply", ".", "--check")
    assert again.code == 0, again.err


def test_what_stands_on_stdin_changes_alone(files: tuple[Path, Path], command: Command) -> None:
    done = command("apply", "-", "--stdin-filename", "nets.py", stdin=NETS)
    assert b"_forward_and_pop" in done.out
