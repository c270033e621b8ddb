"""A summary of a run for a comment on a pull request: short, folded, and never too long for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from nnx_migrate.core.findings import FileStatus, Outcome
from nnx_migrate.core.totals import ATTENTION
from nnx_migrate.report.capped import CappedPage
from nnx_migrate.report.human.causes import Cause, Shown, causes_of
from nnx_migrate.report.levels import Level, Report, Told, shown_path, told
from nnx_migrate.report.markdown_text import cell, code
from nnx_migrate.report.ways_out import ways_out

#: By this an Action finds its own comment again.
MARKER = "<!-- nnx-migrate -->"
#: So many places of a cause are named; the report of the run has them all.
_PLACES = 10


def render_markdown(report: Report) -> str:
    """Return counts, the work that is left for a person, and all else folded."""
    items = list(told(report))
    left = [item for item in items if item.level is Level.ERROR]
    others = [item for item in items if item.level is not Level.ERROR]
    page = CappedPage("\n".join(_head(report)) + "\n")
    page.add_list("### Left for you", by_cause(left, report))
    verb = "Changed" if report.written else "Would change"
    head = f"<details><summary>{verb}: {len(others):,}, by cause</summary>"
    page.add_list(head, by_cause(others, report), "</details>")
    return page.text


def _head(report: Report) -> Iterator[str]:
    totals = report.totals
    changed = totals.files[FileStatus.CHANGED]
    verb = "changed" if report.written else "would change"
    yield MARKER
    yield "## nnx-migrate"
    yield ""
    yield f"{changed:,} of {totals.looked_at:,} files {verb}. {_verdict(report)}"
    broken = [f"{totals.files[s]:,} {s}" for s in FileStatus if s in ATTENTION and totals.files[s]]
    if broken:
        yield ""
        yield f"Files that were not done: {', '.join(broken)}."
    if totals.rules:
        yield ""
        yield from _table(totals.rules)
    if report.check is not None:
        yield ""
        yield f"Checked by running: {_verdicts(report.check['summary'])}."


def _verdict(report: Report) -> str:
    if report.totals.work_left:
        return "**Work is left.**"
    if report.totals.files[FileStatus.CHANGED] and not report.written:
        return "Changes are pending."
    return "Nothing is left to do."


def _verdicts(summary: Mapping[str, int]) -> str:
    return ", ".join(f"{number:,} {verdict}" for verdict, number in summary.items()) or "nothing"


def _table(rules: Mapping[str, Mapping[Outcome, int]]) -> Iterator[str]:
    yield "| rule | " + " | ".join(Outcome) + " |"
    yield "|---|" + "--:|" * len(Outcome)
    for rule, outcomes in rules.items():
        yield f"| {cell(rule)} | " + " | ".join(_numbers(outcomes)) + " |"


def _numbers(outcomes: Mapping[Outcome, int]) -> Iterable[str]:
    return (f"{outcomes.get(outcome, 0):,}" if outcomes.get(outcome) else "" for outcome in Outcome)


def by_cause(items: Iterable[Told], report: Report) -> list[str]:
    """Each cause on a line with its places and the way out, the biggest first of each outcome."""
    return [_cause(cause, report) for cause in causes_of(item.shown for item in items)]


def _cause(cause: Cause, report: Report) -> str:
    first, number = cause.first, len(cause.items)
    rule = f"{code(first.finding.rule)} {first.word}"
    places = ", ".join(code(_place(item, report)) for item in cause.items[:_PLACES])
    more = f" and {number - _PLACES:,} more" if number > _PLACES else ""
    ways = ways_out(first.finding)
    help_ = f" Way out: {code(ways[0])}." if ways else ""
    if number == 1:
        return f"{places} {rule}: {code(first.finding.message)}.{help_}"
    return f"{rule}, {number:,} places: {code(first.finding.message)}.{help_} {places}{more}"


def _place(item: Shown, report: Report) -> str:
    finding, name = item.finding, shown_path(item.result.path, report.root)
    if finding.in_cell is not None:
        return f"{name}:cell {finding.in_cell.cell}:{finding.in_cell.line}"
    return f"{name}:{finding.line}" if finding.line else name
