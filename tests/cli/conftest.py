"""The installed command, run as users run it: a process, its two streams and its exit code."""

from __future__ import annotations

import dataclasses
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

COMMAND = Path(sys.executable).with_name("nnx-migrate")

# Who gets the gradients of `train_step` is not known, so this cannot stay as it is.
TRAIN = b"""\
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.norm = nnx.BatchNorm(2, rngs=rngs)

    def __call__(self, x):
        return self.norm(self.linear(x))


def train_step(model: Net, x):
    def loss_fn(model: Net):
        return jnp.mean(model(x) ** 2)

    loss, grads = nnx.value_and_grad(loss_fn)(model)
    return loss, grads
"""


@dataclasses.dataclass(frozen=True)
class Done:
    """A finished command."""

    code: int
    out: bytes
    err: str

    @property
    def said(self) -> str:
        """What was written to either stream."""
        return self.out.decode("utf-8", "backslashreplace") + self.err


Command = Callable[..., Done]
Observe = Callable[..., dict[str, Any]]


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Let SIGINT end the processes that a test starts, whoever runs the tests.

    A shell starts what it runs in the background with SIGINT ignored. Processes inherit that, and
    the command keeps to it, as it should. What is handled here is not ignored in them.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def command(tmp_path: Path) -> Command:
    """Run `nnx-migrate` in the test's folder."""

    def run(
        *arguments: str | Path, stdin: bytes = b"", cwd: Path = tmp_path, seconds: float = 120
    ) -> Done:
        environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
        # Findings as lines, unless a test says otherwise.
        environment = {"NNX_MIGRATE_OUTPUT_FORMAT": "concise", **environment}
        done = subprocess.run(
            [COMMAND, *arguments],
            input=stdin,
            capture_output=True,
            cwd=cwd,
            env=environment,
            timeout=seconds,
            check=False,
        )
        return Done(done.returncode, done.stdout, done.stderr.decode())

    return run


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder `src` with one file to change and one without nnx."""
    source = tmp_path / "src"
    source.mkdir()
    (source / "train.py").write_bytes(TRAIN)
    (source / "plain.py").write_bytes(b"import os\n")
    return source


@pytest.fixture
def observe(tmp_path: Path, command: Command) -> Observe:
    """Run a program of the test's folder under `nnx-migrate observe`, which ends well.

    What is written to facts.json of the functions of a file is given by their names, of all files
    by "file::name".
    """

    def run(*program: str, of: str = "") -> dict[str, Any]:
        done = command("observe", "--", sys.executable, *program)
        assert done.code == 0, done.said
        return observed(tmp_path, of)

    return run


def observed(folder: Path, of: str = "", name: str = "facts.json") -> dict[str, Any]:
    """What a file of facts says of functions.

    Args:
        folder: it lies there.
        of: the file whose functions are meant; empty of all, by "file::name".
        name: that of the file of facts.
    """
    files = json.loads((folder / name).read_text())["files"]
    if of:
        found: dict[str, Any] = files[of]["functions"]
        return found
    return {
        f"{file}::{path}": seen
        for file, each in files.items()
        for path, seen in each["functions"].items()
    }
