"""The pieces of a file: its hunks, and excerpts around findings that change nothing."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

from nnx_migrate.core.findings import FileResult, Finding, Outcome
from nnx_migrate.report.html.hunks import Hunk, excerpt, hunks_of
from nnx_migrate.report.html.lines import Line
from nnx_migrate.report.html.places import changed_line, sites_of, unit_of
from nnx_migrate.report.html.scopes import unit_at
from nnx_migrate.report.html.sides import Side

# So many lines around a piece can be asked for.
_MORE = 10


@dataclasses.dataclass(frozen=True, slots=True)
class Piece:
    """A part of a file that is looked at on its own.

    Args:
        hunk: its lines.
        changes: whether it changes any of them.
        own: the findings told here, by their places in the result.
        follows: those told elsewhere that it goes with.
        line: 1-based old line that it is about.
        function: qualified name of the function or method that it is in, or "".
        above: further lines of the old side, on demand.
        below: likewise.
    """

    hunk: Hunk
    changes: bool
    own: list[int]
    follows: list[int]
    line: int
    function: str
    above: range = range(0)
    below: range = range(0)


def wants_code(finding: Finding) -> bool:
    """Return whether a finding is told with the code around it even where nothing changes."""
    return finding.line > 0 and finding.outcome is not Outcome.SAME


def pieces_of(result: FileResult, old: Side, new: Side) -> list[Piece]:
    """Return the pieces of a file, in order.

    Args:
        result: with its findings and edits.
        old: the file as it was.
        new: as it is to be; the same object where it does not change.
    """
    hunks = list(hunks_of(old.lines, new.lines)) if new is not old else []
    own, follows = sites_of(hunks, result, len(old.lines))
    told = {number for numbers in own for number in numbers}
    pieces = [
        Piece(hunk, True, here, also, changed_line(hunk) + 1, unit_of(hunk, old.lines, new.lines))
        for hunk, here, also in zip(hunks, own, follows, strict=True)
    ]
    pieces += _excerpts(old.lines, result.findings, told)
    pieces.sort(key=lambda piece: (piece.hunk.old.start, piece.hunk.old.stop))
    return list(_with_more(pieces, len(old.lines)))


def _excerpts(
    lines: Sequence[Line], findings: Sequence[Finding], told: set[int]
) -> Iterator[Piece]:
    """The code around findings that are told in no hunk; those of one line share it."""
    by_line: dict[int, list[int]] = {}
    for number, finding in enumerate(findings):
        if number not in told and wants_code(finding) and finding.line <= len(lines):
            by_line.setdefault(finding.line, []).append(number)
    for line, numbers in by_line.items():
        function = unit_at(lines, line - 1)
        yield Piece(excerpt(line - 1, lines), False, numbers, [], line, function)


def _with_more(pieces: Sequence[Piece], lines: int) -> Iterator[Piece]:
    """The pieces with the lines between them shared out."""
    free = 0
    for number, piece in enumerate(pieces):
        shown = piece.hunk.old
        last = number + 1 == len(pieces)
        limit = lines if last else max(shown.stop, pieces[number + 1].hunk.old.start)
        above = range(max(min(free, shown.start), shown.start - _MORE), shown.start)
        below = range(shown.stop, min(limit, shown.stop + _MORE))
        free = below.stop
        yield dataclasses.replace(piece, above=above, below=below)
