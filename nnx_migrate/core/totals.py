"""What a run adds up to, and the exit code that follows from it."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

from nnx_migrate.core.findings import FileResult, FileStatus, Outcome

ATTENTION = frozenset({FileStatus.SKIPPED, FileStatus.FAILED, FileStatus.REVERTED})


@dataclasses.dataclass(frozen=True, slots=True)
class Totals:
    """Counts of one run.

    Args:
        looked_at: files that were read.
        files: how many files ended in each status.
        outcomes: how many sites ended in each outcome.
        rules: the same for each rule or engine code.
    """

    looked_at: int
    files: Mapping[FileStatus, int]
    outcomes: Mapping[Outcome, int]
    rules: Mapping[str, Mapping[Outcome, int]]

    @property
    def work_left(self) -> bool:
        """Whether a person has to do something: manual sites, or files that could not be done."""
        failed = self.files[FileStatus.FAILED] + self.files[FileStatus.REVERTED]
        return bool(self.outcomes[Outcome.MANUAL] or failed)


@dataclasses.dataclass(frozen=True, slots=True)
class RunResult:
    """Everything a run found and did.

    Args:
        results: one entry for each file that may use nnx and each path that could not be looked
            into, by path. Files that do not change carry no bytes.
        totals: what they add up to.
        missing: named paths that do not exist.
        journal: the name by which `nnx-migrate undo` knows the run; empty where nothing was kept.
    """

    results: tuple[FileResult, ...]
    totals: Totals
    missing: tuple[Path, ...] = ()
    journal: str = ""


def count(results: Iterable[FileResult], looked_at: int) -> Totals:
    """Add up the results of a run; every status and outcome has an entry, if only 0."""
    files = Counter(dict.fromkeys(FileStatus, 0))
    outcomes = Counter(dict.fromkeys(Outcome, 0))
    rules: dict[str, Counter[Outcome]] = {}
    for result in results:
        files[result.status] += 1
        for finding in result.findings:
            outcomes[finding.outcome] += 1
            rules.setdefault(finding.rule, Counter())[finding.outcome] += 1
    ordered = {rule: dict(rules[rule]) for rule in sorted(rules)}
    return Totals(looked_at, dict(files), dict(outcomes), ordered)
