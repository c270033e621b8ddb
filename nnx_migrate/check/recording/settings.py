"""What the user's processes are told: plain data in a file that an environment variable names."""

from __future__ import annotations

import dataclasses
import functools
import json
import os
from collections.abc import Sequence
from pathlib import Path

from nnx_migrate.check.cases.notebooks import cells_of_twins
from nnx_migrate.check.cases.touched import Touched
from nnx_migrate.check.recording.compiling import plain_settings


@dataclasses.dataclass(frozen=True, slots=True)
class RecordSettings:
    """How calls are recorded.

    Args:
        root: the old tree, or the folder of the single program.
        recording: the file that takes the calls.
        calls: how many are kept of a function.
        most_bytes: of a call; of larger ones the shapes are kept.
        touched: what is watched, by the real path of its file.
    """

    root: Path
    recording: Path
    calls: int
    most_bytes: int
    touched: dict[str, Touched]


def write_settings(
    file: Path, root: Path, recording: Path, calls: int, most_bytes: int, touched: Sequence[Touched]
) -> None:
    """Writes the file that `compiling.VARIABLE` is to name.

    Args:
        file: where.
        root: as in `RecordSettings`.
        recording: likewise.
        calls: likewise.
        most_bytes: likewise.
        touched: likewise.
    """
    data = {
        # What instruments the files.
        "instrument": "nnx_migrate.check.recording.instrument",
        "root": str(root),
        "recording": str(recording),
        "calls": calls,
        "most_bytes": most_bytes,
        # For a Python that does not have this package installed.
        "package": str(Path(__file__).resolve().parents[3]),
        "cells": cells_of_twins(root, [each.path for each in touched]),
        "touched": {
            os.path.realpath(root / each.path): dataclasses.asdict(each) for each in touched
        },
    }
    file.write_text(json.dumps(data))


@functools.cache
def read_settings() -> RecordSettings:
    """The settings of this process."""
    data = plain_settings()
    touched = {
        path: Touched(
            each["path"],
            tuple(each["functions"]),
            tuple(each["values"]),
            each["module"],
            each["guarded"],
            readers=tuple(each["readers"]),
        )
        for path, each in data["touched"].items()
    }
    return RecordSettings(
        Path(data["root"]), Path(data["recording"]), data["calls"], data["most_bytes"], touched
    )
