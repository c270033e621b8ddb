"""What a campaign came to, place by place, for people and for programs."""

from __future__ import annotations

import dataclasses
import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nnx_migrate.campaign.blame import cases_of
from nnx_migrate.campaign.places import Place
from nnx_migrate.campaign.rounds import Settled
from nnx_migrate.check.compare.verdicts import CaseResult, Verdict
from nnx_migrate.check.jobs import Mode
from nnx_migrate.check.report import as_document
from nnx_migrate.core.findings import Finding, Outcome
from nnx_migrate.report.text import plural, printable

SCHEMA_VERSION = 1
_REWRITTEN = (Outcome.REWRITTEN, Outcome.REWRITTEN_CHECKED)
_LAST_FIRST = tuple(reversed(Verdict))


@dataclasses.dataclass(frozen=True, slots=True)
class CampaignReport:
    """A campaign and what became of its result.

    Args:
        command: what called the code.
        settled: what it came to.
        before: the exit code of the command on the tree as it was.
        written: the run of `undo`, or the branch; "" where nothing was written.
        branch: whether that is a branch.
        failed: files that could not be written, and why.
    """

    command: Sequence[str]
    settled: Settled
    before: int
    written: str = ""
    branch: bool = False
    failed: Sequence[str] = ()

    @property
    def breaks_today(self) -> bool:
        """Whether the command ends otherwise under today's default."""
        return self.settled.suite.get("graph", self.before) != self.before

    @property
    def work_left(self) -> bool:
        """Whether a person has to look at something."""
        settled = self.settled
        other = any(code != self.before for code in settled.suite.values())
        left = settled.left or settled.result.totals.work_left
        return bool(other or left or self.failed)

    def lines(self) -> Iterator[str]:
        """A line for each place that is not the same, and what it all comes to."""
        for place, finding in self._told():
            yield printable(f"{place.file}:{place.line}: {self._said(place, finding)}")
        for name in sorted(self.settled.left):
            yield printable(
                f"{name}: unchanged: the migrated file computes something else, and no single "
                "place explains it"
            )
        yield self.summary()
        yield from filter(None, [self.next_step()])

    def next_step(self) -> str:
        """What a person is to do about rewrites that no call checked; "" where each was."""
        unchecked = [
            place
            for place, finding in self._told()
            if finding.outcome in _REWRITTEN and self._verdict(place) == Verdict.NOT_CHECKED
        ]
        called = sum(bool(self._cases(place)) for place in unchecked)
        found: list[str] = []
        if called < len(unchecked):
            number = len(unchecked) - called
            were, them = _were(number)
            found.append(
                f"{plural(number, 'rewritten place')} {were} not checked, because no recorded call "
                f"runs {them}. Use a command that calls more of the code, or review {them} "
                "yourself."
            )
        if called:
            were, them = _were(called)
            found.append(
                f"{plural(called, 'rewritten place')} {were} not checked, because no recorded call "
                f"of {them} could be repeated. The report says why."
            )
        return " ".join(found)

    def summary(self) -> str:
        """One sentence on the places, and one on the command."""
        ends: Counter[str] = Counter()
        for place, finding in self._told():
            if place.at in self.settled.put_back:
                ends["put back"] += 1
            elif finding.outcome in _REWRITTEN:
                ends[f"rewritten and {self._verdict(place)}"] += 1
            else:
                ends[str(finding.outcome)] += 1
        parts = ", ".join(f"{number} {end}" for end, number in ends.items()) or "nothing to do"
        rounds = plural(self.settled.rounds, "round")
        return f"{plural(ends.total(), 'place')} in {rounds}: {parts}. {self._suite()}"

    def markdown(self) -> str:
        """The same as a page for a pull request."""
        rows = [
            f"| `{place.file}:{place.line}` | {_cell(self._said(place, finding))} |"
            for place, finding in self._told()
        ]
        parts = [
            "# Migration to tree mode, checked by running",
            *self.told(),
            "\n".join(["| place | result |", "|---|---|", *rows]),
        ]
        return "\n\n".join(parts) + "\n"

    def told(self) -> Iterator[str]:
        """Paragraphs on how the places were found and checked, and what is left to do."""
        yield (
            f"`{shlex.join(self.command)}` ran once. Where a proof was missing, nnx-migrate used "
            f"what its calls showed. {self._repeated()}"
        )
        yield self.summary()
        yield from filter(None, [self.next_step()])

    def _repeated(self) -> str:
        report = self.settled.report
        calls = 0 if report is None else len(report.cases)
        if not calls:
            return "No call of what the migration changes was recorded, so no call was repeated."
        repeated = f"{plural(calls, 'recorded call')} {'was' if calls == 1 else 'were'} repeated"
        return f"{repeated} on the old and the new code, in both modes."

    def document(self) -> dict[str, Any]:
        """The same for programs."""
        settled = self.settled
        return {
            "schema": SCHEMA_VERSION,
            "command": list(self.command),
            "rounds": settled.rounds,
            "places": [
                {
                    "file": place.file,
                    "line": place.line,
                    "rule": finding.rule,
                    "outcome": str(finding.outcome),
                    "message": finding.message,
                    "verdict": self._verdict(place),
                    "cases": [case.name for case in self._cases(place)],
                    "put_back": settled.put_back.get(place.at, ""),
                }
                for place, finding in self._told()
            ],
            "left": sorted(settled.left),
            "exit_codes": {"before": self.before, **settled.suite},
            "written": self.written,
            "branch": self.branch,
            "failed": list(self.failed),
            "check": None if settled.report is None else as_document(settled.report),
        }

    def _told(self) -> Iterator[tuple[Place, Finding]]:
        """What is worth a line: all but what is proved to be the same."""
        for place in self.settled.places:
            for finding in place.findings:
                if finding.outcome is not Outcome.SAME or place.changes:
                    yield place, finding

    def _said(self, place: Place, finding: Finding) -> str:
        said = f"{finding.rule}: {finding.outcome}: {finding.message}"
        if place.at in self.settled.put_back or not place.changes:
            return said
        number = len(self._cases(place))
        calls = f" in {plural(number, 'recorded call')}" if number else ""
        return f"{said}; {self._verdict(place)}{calls}{self._why_not(place)}"

    def _why_not(self, place: Place) -> str:
        """Why the calls of a place say nothing of it; "" where they do, or there are none."""
        if self._verdict(place) != Verdict.NOT_CHECKED:
            return ""
        columns = (each for case in self._cases(place) for each in case.columns.values())
        reason = next((each.reason for each in columns if each.reason), "")
        return f" ({reason})" if reason else ""

    def _cases(self, place: Place) -> list[CaseResult]:
        report = self.settled.report
        return [] if report is None else cases_of(place, report.cases)

    def _verdict(self, place: Place) -> str:
        """The weakest verdict of those that pass; a place that no such case ran is not checked."""
        found = {case.verdict for case in self._cases(place) if case.verdict.passes}
        return str(next((v for v in _LAST_FIRST if v in found), Verdict.NOT_CHECKED))

    def _suite(self) -> str:
        codes: Mapping[Mode, int] = self.settled.suite
        if not codes:
            return "Nothing changes."
        told = ", ".join(f"{code} in {mode} mode" for mode, code in codes.items())
        return f"Exit code of the command: {self.before} before, {told} after the migration."


def _were(number: int) -> tuple[str, str]:
    """The words for so many."""
    return ("was", "it") if number == 1 else ("were", "them")


def _cell(text: str) -> str:
    return printable(text).replace("|", "\\|").replace("\n", " ")
