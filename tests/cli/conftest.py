"""The installed command, run as users run it: a process, its two streams and its exit code."""

from __future__ import annotations

import dataclasses
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

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
