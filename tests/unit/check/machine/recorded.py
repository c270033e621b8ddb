"""The calls of golden programs, recorded many to a process: what their drivers make them do."""

from __future__ import annotations

import ast
import contextlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

from nnx_migrate.check.cases.touched import Touched, every_name
from nnx_migrate.check.jobs import Column, Side
from nnx_migrate.check.recording import store
from nnx_migrate.check.recording.command import MOST_BYTES
from nnx_migrate.check.recording.compiling import VARIABLE, plain_settings
from nnx_migrate.check.recording.settings import read_settings, write_settings

BEFORE = "before.py"


def recording_of(case: Path, folder: Path) -> Path:
    """Where the calls of a golden program are kept.

    Args:
        case: its folder.
        folder: of the recordings.
    """
    return folder / f"{case.parent.name}__{case.name}.sqlite"


def record_all(cases: Sequence[Path], folder: Path) -> None:
    """Records golden programs in this process, which must not have imported flax yet.

    Args:
        cases: their folders.
        folder: takes a recording for each.
    """
    os.environ.update({"NNX_GRAPH_MODE": "true", "NNX_GRAPH_UPDATES": "true"})
    for number, case in enumerate(cases):
        recording = folder / f"{os.getpid()}.sqlite"
        functions, values = every_name(ast.parse((case / BEFORE).read_bytes()))
        settings = folder / "recording.json"
        touched = [Touched(BEFORE, functions, values)]
        write_settings(settings, case, recording, 1, MOST_BYTES, touched)
        os.environ[VARIABLE] = str(settings)
        plain_settings.cache_clear()
        read_settings.cache_clear()
        store.create(recording)
        # What a driver raises is what becomes of it; the calls until then are kept.
        with contextlib.suppress(BaseException):
            _drive(case, f"golden_{number}")
        store.settle(recording)
        recording.replace(recording_of(case, folder))
        _put_mode_back(case)


def _drive(case: Path, name: str) -> None:
    from nnx_migrate.check.recording.compiling import instrumented_code
    from nnx_migrate.check.worker.loading import load_file

    program = ModuleType(name)
    program.__file__ = str(case / BEFORE)
    sys.modules[name] = program
    exec(instrumented_code(str(case / BEFORE)), program.__dict__)
    load_file(case / "drive.py").drive(program)


def _put_mode_back(case: Path) -> None:
    from nnx_migrate.check.worker.column import put_mode_back

    put_mode_back(Column(Side("old", case, ()), "graph"))


if __name__ == "__main__":
    record_all([Path(each) for each in sys.argv[2:]], Path(sys.argv[1]))
