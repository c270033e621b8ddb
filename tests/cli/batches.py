"""Trees for batch runs, and a Python that does to them what real files and machines do."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.cli.conftest import COMMAND, Done

_GOLDEN = Path(__file__).parents[2] / "golden"
VMAP = """\
from flax import nnx


@nnx.vmap(in_axes=(nnx.StateAxes({nnx.Param: 0, ...: 0}), 0))
def forward(model, x):
    return model(x)
"""
#: Runs in every process of a command: what files ask for by a comment is done to who reads them.
_DISTURBED = """\
import os
import signal
import time

import nnx_migrate.analysis.ir.build as index

_index_tree = index.index_tree


def disturbed(tree, module, source, *more, **named):
    if "# HANGS" in source.text:
        time.sleep(1000)
    if "# DIES" in source.text:
        os.abort()
    if "# SLOW" in source.text:
        time.sleep(0.1)
        open(os.path.join(os.environ["MET"], str(os.getpid())), "w").close()
    if "# GROWS" in source.text:
        bytearray(2**34)
    return _index_tree(tree, module, source, *more, **named)


index.index_tree = disturbed

if os.environ.get("KILL_AT"):
    calls = [0]

    def counted(function):
        def call(*args, **kwargs):
            calls[0] += 1
            if calls[0] == int(os.environ["KILL_AT"]):
                os.kill(os.getpid(), signal.SIGKILL)
            return function(*args, **kwargs)

        return call

    os.fsync = counted(os.fsync)
    os.replace = counted(os.replace)
    import nnx_migrate.engine.cache.store as shelf
    import nnx_migrate.batch.state as state

    shelf.Shelf.keep = counted(shelf.Shelf.keep)
    for name in ("begin", "settle", "finish"):
        setattr(state.State, name, counted(getattr(state.State, name)))
"""


def grow(root: Path, small: int = 40) -> Path:
    """Make a tree of several projects, of which two have files that import each other."""
    for name in ("other-file", "other-file-kept"):
        before = _GOLDEN / "sown-intermediates" / name / "before"
        for file in before.rglob("*.py"):
            place = root / name / file.relative_to(before)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(file.read_bytes())
    for number in range(small):
        folder = root / f"part{number % 3}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"file{number}.py").write_text(f"{VMAP}# {number}\n")
    return root


def contents(root: Path) -> dict[str, bytes]:
    """The code of a tree."""
    return {str(file.relative_to(root)): file.read_bytes() for file in root.rglob("*.py")}


def disturbing(folder: Path) -> dict[str, str]:
    """The environment of processes that do what files ask for.

    Args:
        folder: takes what every process starts with.
    """
    folder.mkdir(exist_ok=True)
    (folder / "sitecustomize.py").write_text(_DISTURBED)
    return {**os.environ, "PYTHONPATH": str(folder), "MET": str(folder)}


def disturbed(folder: Path, *arguments: str, cwd: Path, kill_at: int | None = None) -> Done:
    """Run the command where files and moments do harm.

    Args:
        folder: takes what every process starts with.
        arguments: of the command.
        cwd: the folder to run it in.
        kill_at: the number of the step, of those that change the disk, before which it is killed.
    """
    environment = disturbing(folder)
    if kill_at is not None:
        environment["KILL_AT"] = str(kill_at)
    done = subprocess.run(
        [sys.executable, COMMAND, *arguments],
        cwd=cwd,
        env=environment,
        capture_output=True,
        timeout=120,
        check=False,
    )
    return Done(done.returncode, done.stdout, done.stderr.decode())
