"""Programs migrated, and run before and after; many to a process."""

from __future__ import annotations

import contextlib
import dataclasses
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from nnx_migrate.check.compare.comparison import EXACT, compare
from nnx_migrate.check.compare.forms import NotDone, Observation
from nnx_migrate.check.jobs import Column, Job, Limits, Mode, Side
from nnx_migrate.check.worker.processes import running_workers
from tests.fuzzing.calling import call
from tests.golden.columns import ENVIRONMENT

_DRIVE = "def drive(program):\n    return program.main()\n"
_LIMITS = Limits(seconds=120, cases=100)
Sources = Mapping[str, bytes]


def run_all(
    columns: Sequence[tuple[Sources, Mode]], folder: Path | None = None
) -> list[dict[str, Observation]]:
    """Run programs that define `main`, each column in a process of its own.

    Args:
        columns: name -> bytes of each program, and the mode they run in.
        folder: where programs may be written; a temporary one where none is named.

    Returns:
        What came of each program, for each column.
    """
    with contextlib.ExitStack() as stack:
        home = folder or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        drive = home / "drive.py"
        drive.write_text(_DRIVE)
        pending = []
        for number, (sources, mode) in enumerate(columns):
            column = Column(Side("old", home, ()), mode)
            logs = home / f"logs{number}"
            logs.mkdir(exist_ok=True)
            workers = stack.enter_context(running_workers([column], _LIMITS, ENVIRONMENT, logs))
            submitted = {}
            for name, data in sources.items():
                program = home / f"column{number}" / name / "main.py"
                program.parent.mkdir(parents=True, exist_ok=True)
                program.write_bytes(data)
                side = Side("old", program, ())
                job = Job(name, "function", drive, "drive")
                submitted[name] = workers.submit(call, dataclasses.replace(column, side=side), job)
            pending.append((workers, submitted))
        return [
            {name: _seen(workers.settle(each, Observation)) for name, each in submitted.items()}
            for workers, submitted in pending
        ]


def difference(expected: Observation, actual: Observation) -> str:
    """What is different from a reference that ran; "" for nothing."""
    if actual.view is None:
        return f"raised {actual.raised}: {actual.message}"
    found = compare(expected, actual, EXACT, strict_kinds=True).different
    return "" if found is None else str(found)


def _seen(found: Observation | NotDone) -> Observation:
    if isinstance(found, NotDone):
        return Observation(None, "NotDone", found.reason)
    return found
