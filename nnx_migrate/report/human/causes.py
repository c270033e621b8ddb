"""What a run found, for people: one by one, or each cause said once with its places."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Iterator

from nnx_migrate.core.findings import FileResult, FileStatus, Finding, Outcome
from nnx_migrate.core.totals import ATTENTION
from nnx_migrate.report.text import first_on_line, printable

#: A place in parentheses, and any other number: what differs between two places of one cause.
_PLACE = re.compile(r" ?\([^()\s]+\.\w+:(?:cell )?[\d:]+\)")
_NUMBER = re.compile(r"\d+")
#: In the order of the report: what a person has to do stands last, next to the prompt.
_RANKS: dict[str, int] = {
    Outcome.SAME: 0,
    Outcome.REWRITTEN: 1,
    Outcome.REWRITTEN_CHECKED: 2,
    Outcome.PINNED_MID: 3,
    Outcome.PINNED: 4,
    FileStatus.SKIPPED: 5,
}
_LAST = 6


def _rank(word: str) -> int:
    return _RANKS.get(word, _LAST)


@dataclasses.dataclass(frozen=True, slots=True)
class Shown:
    """A finding as it is shown.

    Args:
        result: the file it is about.
        finding: what was found; one without a rule is about the file as a whole.
        word: how it ended, or what became of the file.
    """

    result: FileResult
    finding: Finding
    word: str

    @property
    def path(self) -> str:
        """The file, as a line may begin with it."""
        return first_on_line(printable(str(self.result.path)))

    @property
    def at(self) -> str:
        """The place in the file: ":3:5", ":cell 2:3:5", or "" for the file as a whole."""
        cell = self.finding.in_cell
        if cell is not None:
            return f":cell {cell.cell}:{cell.line}:{cell.column}"
        return f":{self.finding.line}:{self.finding.column}" if self.finding.line else ""

    @property
    def place(self) -> str:
        """The file and the place in it."""
        return f"{self.path}{self.at}"

    @property
    def for_a_person(self) -> bool:
        """Whether somebody has to do something about it."""
        return _rank(self.word) == _LAST


@dataclasses.dataclass(frozen=True, slots=True)
class Cause:
    """Findings that end in the same way for the same reason.

    Args:
        items: at least one, in the order of the files.
    """

    items: tuple[Shown, ...]

    @property
    def first(self) -> Shown:
        """The one that stands for all."""
        return self.items[0]

    @property
    def rank(self) -> int:
        """The higher, the more a person has to do with it."""
        return _rank(self.first.word)


def shown_findings(results: Iterable[FileResult], *, verbose: bool) -> Iterator[Shown]:
    """Yield what a person is shown: all but what stays the same, whatever anybody assumes.

    Args:
        results: every file of the run.
        verbose: what stays the same, too.
    """
    for result in results:
        told = False
        for finding in result.findings:
            told = told or finding.message == result.reason
            done = finding.outcome is Outcome.SAME and not finding.rests_on_permission
            if verbose or not done or result.status in ATTENTION:
                word = result.status if result.status in ATTENTION else finding.outcome
                yield Shown(result, finding, word)
        if result.reason and not told:
            whole = Finding("", 0, 0, Outcome.MANUAL, result.reason)
            yield Shown(result, whole, result.status)


def causes_of(items: Iterable[Shown]) -> list[Cause]:
    """Findings by cause: the biggest first of each outcome, and what is left for a person last."""
    found: dict[tuple[str, str, str, str], list[Shown]] = {}
    for item in items:
        # Two places of one cause name other lines: as in fingerprints, these do not count.
        shape = _NUMBER.sub("#", _PLACE.sub("", item.finding.message))
        ways = "\n".join(item.finding.ways_out)
        found.setdefault((item.word, item.finding.rule, shape, ways), []).append(item)
    causes = [Cause(tuple(each)) for each in found.values()]
    # The sort is stable: causes of one size stay in the order of the files.
    return sorted(causes, key=lambda cause: (cause.rank, -len(cause.items)))


def places(items: Iterable[Shown]) -> list[str]:
    """The places of findings, those of one file in one text: "a.py:3:5, :9:5"."""
    files: dict[str, list[str]] = {}
    for item in items:
        at = files.setdefault(item.path, [])
        if item.at not in at:
            at.append(item.at)
    return [f"{path}{', '.join(at)}" for path, at in files.items()]
