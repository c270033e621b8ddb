"""What the machine formats tell of a run, and how loudly: the same for all of them."""

from __future__ import annotations

import dataclasses
import enum
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

from nnx_migrate.core.findings import FileResult, FileStatus, Finding, Outcome
from nnx_migrate.core.totals import Totals
from nnx_migrate.report.human.causes import Shown


@dataclasses.dataclass(frozen=True, slots=True)
class Report:
    """A run and what is needed to tell of it.

    Args:
        results: every file of the run.
        totals: what they add up to.
        written: the files were changed; otherwise they would be.
        root: absolute folder that names of files are relative to.
        check: what `--verify` found, as its JSON report has it; None when it did not run.
    """

    results: tuple[FileResult, ...]
    totals: Totals
    written: bool
    root: Path
    check: Mapping[str, Any] | None = None


class Level(enum.StrEnum):
    """How loudly a finding is told; the words are those of SARIF."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclasses.dataclass(frozen=True, slots=True)
class Told:
    """One finding to tell.

    Args:
        result: the file it is about.
        place: in `result.findings`; None for what happened to the file as a whole.
    """

    result: FileResult
    finding: Finding
    level: Level
    place: int | None

    @property
    def shown(self) -> Shown:
        """The same, to be put with others of its cause."""
        word = self.finding.outcome if self.place is not None else self.result.status
        return Shown(self.result, self.finding, word)


def told(report: Report) -> Iterator[Told]:
    """Yield what a reader has to know: all findings but those that stay the same."""
    for result in report.results:
        yield from told_of(result, written=report.written)


def told_of(result: FileResult, *, written: bool) -> Iterator[Told]:
    """Yield what a reader has to know of one file.

    Args:
        result: the file.
        written: it was changed; otherwise it would be.
    """
    findings = [f.message for f in result.findings]
    for place, finding in enumerate(result.findings):
        if finding.outcome is not Outcome.SAME:
            yield Told(result, finding, _level(finding.outcome, written), place)
    if result.reason and result.reason not in findings:
        whole = Finding(f"{result.status}-file", 0, 0, Outcome.MANUAL, result.reason)
        # A file with a comment that keeps it out is as its people want it.
        chosen = result.status is FileStatus.SKIPPED
        yield Told(result, whole, Level.NOTE if chosen else Level.ERROR, None)


def _level(outcome: Outcome, written: bool) -> Level:
    if outcome is Outcome.MANUAL:
        return Level.ERROR
    return Level.NOTE if written else Level.WARNING


def shown_path(path: Path, root: Path) -> str:
    """A file's name from the root, with "/"; an absolute one when it lies elsewhere.

    Args:
        path: the file, absolute or relative to the current folder; a link stands for its target
            where that is a file below the root.
        root: absolute folder.
    """
    real = os.path.realpath(path)
    link = os.path.join(os.path.realpath(os.path.dirname(path) or os.curdir), path.name)
    home = os.path.realpath(root)
    for place in (real, link) if os.path.isfile(real) else (link, real):
        relative = os.path.relpath(place, home)
        if relative.split(os.sep)[0] != os.pardir:
            return relative.replace(os.sep, "/")
    return real.replace(os.sep, "/")


def uri_path(name: str) -> str:
    """A name with "/" as the path of a URI: bytes outside of ASCII percent-encoded."""
    return quote(os.fsencode(name), safe="/~!$&'()*,;=@+")
