"""How a check ends: what was found in a line, what that means, and what to do next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from nnx_migrate.check.compare.verdicts import Verdict

if TYPE_CHECKING:
    from nnx_migrate.check.report import CheckReport

_MEANING = {
    0: "OLD and NEW compute the same.",
    1: "NEW computes something else.",
    2: "Not all that differs was checked.",
}


def counted(report: CheckReport) -> dict[Verdict, int]:
    """How many cases ended in each verdict.

    Args:
        report: of the check.
    """
    numbers = Counter(case.verdict for case in report.cases)
    return {verdict: numbers[verdict] for verdict in Verdict if numbers[verdict]}


def last_lines(report: CheckReport) -> Iterator[str]:
    """The summary of a check, its meaning, and the next steps.

    Args:
        report: of the check.
    """
    meaning = f" {_MEANING[report.exit_code]}" if report.cases else ""
    yield f"{_numbers(report)}.{meaning}"
    lead = "Next:"
    for step in _next_steps(report):
        yield f"{lead} {step}"
        lead = "     "


def _numbers(report: CheckReport) -> str:
    gaps, ways = len(report.gaps), len(report.not_taken)
    left = f"; {gaps} change{'' if gaps == 1 else 's'} without a case" if gaps else ""
    left += f"; {ways} branch{'' if ways == 1 else 'es'} that no case took" if ways else ""
    if not report.cases:
        return f"nothing was checked{left}"
    parts = ", ".join(f"{number} {verdict}" for verdict, number in counted(report).items())
    cached = sum(case.cached for case in report.cases)
    kept = f" ({cached} unchanged since an earlier check)" if cached else ""
    plural = "" if len(report.cases) == 1 else "s"
    return f"{len(report.cases)} case{plural}: {parts}{kept}{left}"


def _next_steps(report: CheckReport) -> Iterator[str]:
    if report.scripts:
        (_, column), script = min(report.scripts.items())
        again = f"python {script} {column.replace('@', ' ')}"
        yield f"{again}  (shows the difference again; to undo the migration: nnx-migrate undo last)"
    if report.gaps and not report.allows_gaps:
        accept = "to accept the rest: --allow-unchecked"
        yield f"check with a command, or cases, that call the code above  ({accept})"
