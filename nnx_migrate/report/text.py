"""The report that a person reads: findings that need eyes, then a summary of a few lines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from nnx_migrate.core.findings import Evidence, FileResult, FileStatus, Finding, Outcome
from nnx_migrate.core.totals import ATTENTION, Totals

#: Makes a text look like what it is: an outcome, a status, a "place" or a "rule".
Paint = Callable[[str, str], str]


def _plain(style: str, text: str) -> str:
    return text


def render_text(
    results: Iterable[FileResult],
    totals: Totals,
    *,
    verbose: bool = False,
    written: bool = True,
    paint: Paint | None = None,
    table: Callable[[Totals], str] | None = None,
) -> str:
    """Return the report of a run.

    Args:
        results: every file of the run.
        totals: what they add up to.
        verbose: list the sites that stay the same as well, and the evidence of each finding.
        written: the files were changed; otherwise they would be.
        paint: how to colour it; None for not at all.
        table: draws the numbers of the rules; None for a plain list.
    """
    lines: list[str] = []
    for result in results:
        lines.extend(_file(result, verbose, paint or _plain))
    if lines:
        lines.append("")
    lines.extend(_summary(totals, written, paint or _plain, table))
    return "\n".join(lines) + "\n"


def printable(text: str) -> str:
    """Return `text` with control characters, and what cannot be printed, written as escapes."""
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode() for char in text
    )


def first_on_line(path: str) -> str:
    """A path at the beginning of a line, where some logs take it for a command.

    GitHub Actions and Azure obey lines that begin with `::` or `##`, and git can commit such names.

    Args:
        path: as it is shown.
    """
    return f"./{path}" if path.lstrip().startswith(("::", "##")) else path


def _file(result: FileResult, verbose: bool, paint: Paint) -> Iterator[str]:
    path = first_on_line(printable(str(result.path)))
    told = False
    for finding in result.findings:
        told = told or finding.message == result.reason
        shown = verbose or finding.outcome is not Outcome.SAME or result.status in ATTENTION
        if shown:
            yield _finding(path, finding, result.status, paint)
        if shown and verbose:
            yield from map(_evidence, finding.evidence)
    if result.reason and not told:
        status = paint(result.status, result.status)
        yield f"{paint('place', path)}: {status}: {printable(result.reason)}"


def _finding(path: str, finding: Finding, status: FileStatus, paint: Paint) -> str:
    place = f"{path}:{finding.line}:{finding.column}" if finding.line else path
    if finding.in_cell is not None:
        cell = finding.in_cell
        place = f"{path}:cell {cell.cell}:{cell.line}:{cell.column}"
    word = status if status in ATTENTION else finding.outcome
    told = printable(finding.message)
    return f"{paint('place', place)}: {paint('rule', finding.rule)}: {paint(word, word)}: {told}"


def _evidence(evidence: Evidence) -> str:
    place = f" ({printable(str(evidence.where))})" if evidence.where else ""
    allowed = f" [--allow {evidence.permission}]" if evidence.permission else ""
    return f"    {evidence.proof}: {printable(evidence.claim)}{place}{allowed}"


def _summary(
    totals: Totals, written: bool, paint: Paint, table: Callable[[Totals], str] | None
) -> Iterator[str]:
    files = totals.files
    changed = files[FileStatus.CHANGED]
    verb = "changed" if written else "would change"
    parts = [f"{_plural(changed, 'file')} {verb}"]
    parts += [
        paint(status, f"{files[status]} {status}")
        for status in FileStatus
        if status in ATTENTION and files[status]
    ]
    yield f"{', '.join(parts)}; {_plural(totals.looked_at, 'file')} looked at."
    if totals.rules:
        yield f"{_plural(sum(totals.outcomes.values()), 'site')}: {_outcomes(totals.outcomes)}."
        if table is not None:
            yield table(totals)
        else:
            width = max(map(len, totals.rules))
            for rule, outcomes in totals.rules.items():
                yield f"  {rule:<{width}}  {_outcomes(outcomes)}"
    if totals.outcomes[Outcome.MANUAL]:
        left = _plural(totals.outcomes[Outcome.MANUAL], "place")
        yield f"{left} left for you, listed above; 'nnx-migrate rule NAME' explains a rule."


def _outcomes(outcomes: Mapping[Outcome, int]) -> str:
    words = [f"{outcomes[outcome]} {outcome}" for outcome in Outcome if outcomes.get(outcome)]
    return ", ".join(words) or "none"


def _plural(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
