"""Where a hunk is, and which findings it goes with."""

from __future__ import annotations

from collections.abc import Sequence

from nnx_migrate.core.findings import FileResult
from nnx_migrate.report.html.hunks import Hunk
from nnx_migrate.report.html.lines import Line
from nnx_migrate.report.html.scopes import unit_at


def changed_line(hunk: Hunk) -> int:
    """Return the first old line (0-based) that a hunk changes, or that it puts something before."""
    line = hunk.old.start
    for row in hunk.rows:
        if not row.equal:
            return line
        line += 1
    return hunk.old.start + len(hunk.old) // 2


def unit_of(hunk: Hunk, old: Sequence[Line], new: Sequence[Line]) -> str:
    """Return the function or method that the first change of a hunk is in, or ""."""
    for row in hunk.rows:
        if not row.equal and row.old is not None:
            return unit_at(old, row.old)
        if not row.equal and row.new is not None:
            return unit_at(new, row.new)
    return unit_at(old, changed_line(hunk))


def sites_of(
    hunks: Sequence[Hunk], result: FileResult, lines: int
) -> tuple[list[list[int]], list[list[int]]]:
    """Tell for each hunk the findings to be told there, and those told elsewhere that it goes with.

    A rewrite also changes what is around its site: the function that is transformed, its calls,
    the imports. A finding is told where its site is; where nothing changes there, at the first
    hunk that it wants.

    Args:
        hunks: of the file.
        result: with its findings and edits.
        lines: how many the file had.

    Returns:
        Two lists for each hunk, of places in the findings.
    """
    wanted = [_wanted_in(hunk, result, lines) for hunk in hunks]
    own: list[list[int]] = [[] for _ in hunks]
    for number, finding in enumerate(result.findings):
        there = [place for place, hunk in enumerate(hunks) if finding.line - 1 in hunk.old]
        there += [place for place, numbers in enumerate(wanted) if number in numbers]
        if there:
            own[there[0]].append(number)
    return own, [sorted(set(all_) - set(told)) for all_, told in zip(wanted, own, strict=True)]


def _wanted_in(hunk: Hunk, result: FileResult, lines: int) -> set[int]:
    """The findings behind the edits that reach into a hunk."""
    found: set[int] = set()
    for edit in result.edits:
        # What is put behind the last line begins on a line that is none.
        first, last = (min(line, lines) - 1 for line in (edit.line, edit.end_line))
        if first < hunk.old.stop and last >= hunk.old.start:
            found.update(edit.findings)
    return found
