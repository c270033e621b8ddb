"""Small projects that are written to a folder, recorded and checked."""

from __future__ import annotations

import dataclasses
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from nnx_migrate.check.cases.touched import touched_functions
from nnx_migrate.check.compare.case_verdicts import Strictness
from nnx_migrate.check.compare.comparison import DEFAULT
from nnx_migrate.check.compare.verdicts import CaseResult
from nnx_migrate.check.jobs import Job, Limits, Side
from nnx_migrate.check.matrix import check_jobs, matrix
from nnx_migrate.check.recording.command import MOST_BYTES, RecordOutcome, record
from nnx_migrate.check.recording.store import recorded_jobs
from nnx_migrate.check.worker.processes import running_workers

_ENVIRONMENT = {"JAX_PLATFORMS": "cpu"}


@dataclasses.dataclass(frozen=True)
class Project:
    """An old and a new tree."""

    old: Side
    new: Side
    recording: Path

    def record(
        self,
        *command: str,
        calls: int = 3,
        most_bytes: int = MOST_BYTES,
        environment: Mapping[str, str] | None = None,
        timeout: float = 120,
    ) -> RecordOutcome:
        """Runs a command on the old tree, with this Python."""
        program = [sys.executable, *command]
        touched = touched_functions(self.old, self.new)
        given = {**_ENVIRONMENT, "PATH": os.defpath, **(environment or {})}
        return record(
            program,
            self.old,
            touched,
            self.recording,
            calls=calls,
            most_bytes=most_bytes,
            environment=given,
            timeout=timeout,
        )

    def jobs(self) -> tuple[Job, ...]:
        """The cases that were recorded."""
        return recorded_jobs(self.recording)

    def check(self, jobs: Sequence[Job]) -> dict[str, CaseResult]:
        """Replays cases through the whole matrix."""
        logs = self.recording.with_suffix(".logs")
        logs.mkdir()
        columns = matrix(self.old, self.new)
        with running_workers(columns, Limits(), _ENVIRONMENT, logs) as workers:
            return {each.name: each for each in check_jobs(jobs, workers, Strictness(DEFAULT))}


def write_project(
    folder: Path, old: Mapping[str, str], changes: Mapping[str, tuple[str, str]]
) -> Project:
    """Writes two trees.

    Args:
        folder: they become its old and new.
        old: text of the old files by path.
        changes: by path, what the new file has in the place of what.
    """
    for path, text in old.items():
        before, after = changes.get(path, ("", ""))
        assert before in text
        for side, content in (("old", text), ("new", text.replace(before, after))):
            file = folder / side / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(content)
    return Project(
        Side("old", folder / "old", (folder / "old",)),
        Side("new", folder / "new", (folder / "new",)),
        folder / "calls.sqlite",
    )


def write_single_program(folder: Path, old: str, new: str) -> Project:
    """Writes a program that is no tree, before and after.

    Args:
        folder: it takes before.py and after.py.
        old: the text of the one.
        new: of the other.
    """
    (folder / "before.py").write_text(old)
    (folder / "after.py").write_text(new)
    return Project(
        Side("old", folder / "before.py", ()),
        Side("new", folder / "after.py", ()),
        folder / "calls.sqlite",
    )
