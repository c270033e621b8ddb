"""A summary of a run for a comment on a pull request: short, folded, and never too long for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from nnx_migrate.outcomes import FileStatus, Outcome
from nnx_migrate.report.markdown_text import cell, code, size
from nnx_migrate.report.told import Level, Report, Told, shown_path, told
from nnx_migrate.totals import ATTENTION

#: GitHub takes no comment that is longer; some room is kept for what a workflow adds.
LIMIT = 65_536 - 1_024
#: By this an Action finds its own comment again.
MARKER = "<!-- nnx-migrate -->"
_NOTE_ROOM = 200


def render_markdown(report: Report) -> str:
    """Return counts, the work that is left for a person, and all else folded."""
    items = list(told(report))
    left = [item for item in items if item.level is Level.ERROR]
    others = [item for item in items if item.level is not Level.ERROR]
    page = _Page("\n".join(_head(report)) + "\n")
    page.listed("### Left for you", left, report)
    verb = "Changed" if report.written else "Would change"
    page.listed(
        f"<details><summary>{verb}: {len(others)}</summary>\n", others, report, "</details>"
    )
    return page.text


class _Page:
    """Text that takes lists in as far as there is room."""

    def __init__(self, text: str) -> None:
        self.text = text

    def listed(self, head: str, items: list[Told], report: Report, foot: str = "") -> None:
        """Add a list, and say how much of it had no room."""
        if not items:
            return
        lines = [f"\n{head}\n\n"]
        room = LIMIT - size(self.text) - size(head) - size(foot) - _NOTE_ROOM
        shown = 0
        for item in items:
            line = _line(item, report)
            room -= size(line)
            if room < 0:
                break
            lines.append(line)
            shown += 1
        if shown < len(items):
            lines.append(
                f"\n{len(items) - shown:,} more had no room in this comment;"
                " the report of the run has them all.\n"
            )
        self.text += "".join(lines) + (f"\n{foot}\n" if foot else "")


def _head(report: Report) -> Iterator[str]:
    totals = report.totals
    changed = totals.files[FileStatus.CHANGED]
    verb = "changed" if report.written else "would change"
    yield MARKER
    yield "## nnx-migrate"
    yield ""
    yield f"{changed:,} of {totals.looked_at:,} Python files {verb}. {_verdict(report)}"
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


def _line(item: Told, report: Report) -> str:
    finding = item.finding
    name = shown_path(item.result.path, report.root)
    place = f"{name}:{finding.line}" if finding.line else name
    word = finding.outcome if item.place is not None else item.result.status
    return f"- {code(place)} {code(finding.rule)} {word}: {code(finding.message)}\n"
