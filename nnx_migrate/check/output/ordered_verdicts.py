"""Verdicts told in the order of their cases, each as soon as all before it are known."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
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
class OrderedVerdicts:
    """The cases of a check as they become known.

    Args:
        jobs: the cases, in their order.
        columns: as the user knows them; the first is the reference.
        folder: takes the scripts.
        listener: who is told; None for nobody.
        results: by name of the case.
        scripts: by name of the case and column.
        waits: whether a verdict may change once all are known, and is told then.
    """

    jobs: Sequence[Job]
    columns: Sequence[Column]
    folder: Path
    listener: Listener | None
    results: dict[str, CaseResult] = dataclasses.field(default_factory=dict)
    scripts: dict[tuple[str, str], str] = dataclasses.field(default_factory=dict)
    waits: Callable[[CaseResult], bool] = lambda result: False
    _told: int = 0
    _waiting: list[str] = dataclasses.field(default_factory=list)

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

    def end(self, results: Sequence[CaseResult]) -> None:
        """Tells what waited for all others.

        Args:
            results: of all cases, as they are now.
        """
        self.results |= {each.name: each for each in results}
        jobs = {job.name: job for job in self.jobs}
        for name in self._waiting:
            self._tell_of(jobs[name], self.results[name])
        self._waiting.clear()

    def _tell(self) -> None:
        while self._told < len(self.jobs):
            job = self.jobs[self._told]
            result = self.results.get(job.name)
            if result is None:
                return
            self._told += 1
            if self.waits(result):
                self._waiting.append(job.name)
            else:
                self._tell_of(job, result)

    def _tell_of(self, job: Job, result: CaseResult) -> None:
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
