"""Verdicts told in the order of their cases, each as soon as all before it are known."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from nnx_migrate.check.compare.verdicts import CaseResult, Verdict
from nnx_migrate.check.jobs import Column, Job
from nnx_migrate.check.repro import write_script


class Listener(Protocol):
    """Who hears of verdicts while others are not known yet."""

    def begin(self, cases: Sequence[str], columns: Sequence[str]) -> None:
        """Hears the names of all cases, and of the columns that are judged."""

    def case(self, result: CaseResult, scripts: Mapping[str, str]) -> None:
        """Hears a verdict, and by column the scripts that show a difference again."""


@dataclasses.dataclass
class Telling:
    """The cases of a check as they become known.

    Args:
        jobs: the cases, in their order.
        columns: as the user knows them; the first is the reference.
        folder: takes the scripts.
        listener: who is told; None for nobody.
        results: by name of the case.
        scripts: by name of the case and column.
    """

    jobs: Sequence[Job]
    columns: Sequence[Column]
    folder: Path
    listener: Listener | None
    results: dict[str, CaseResult] = dataclasses.field(default_factory=dict)
    scripts: dict[tuple[str, str], str] = dataclasses.field(default_factory=dict)
    _told: int = 0

    def begin(self) -> None:
        """Tells what there is, and what is known already."""
        if self.listener is not None:
            names = [column.name for column in self.columns[1:]]
            self.listener.begin([job.name for job in self.jobs], names)
        self._tell()

    def know(self, result: CaseResult) -> None:
        """Takes a verdict.

        Args:
            result: of one of the cases.
        """
        self.results[result.name] = result
        self._tell()

    def _tell(self) -> None:
        while self._told < len(self.jobs):
            job = self.jobs[self._told]
            result = self.results.get(job.name)
            if result is None:
                return
            self._told += 1
            scripts = self._scripts(job, result)
            self.scripts |= {(job.name, column): script for column, script in scripts.items()}
            if self.listener is not None:
                self.listener.case(result, scripts)

    def _scripts(self, job: Job, result: CaseResult) -> dict[str, str]:
        old = self.columns[0].side
        return {
            column.name: str(write_script(self.folder, job, column, old, found))
            for column in self.columns[1:]
            if (found := result.columns[column.name]).verdict is Verdict.DIFFERENT
        }
