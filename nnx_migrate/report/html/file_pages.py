"""One file as the page gets it.

`FilePage.entry` is what the page always holds of a file, for filters, counts and estimates of
height; `FilePage.body` is what it reads when the file comes into sight.
"""

from __future__ import annotations

import dataclasses
import hashlib
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from nnx_migrate.core.findings import Evidence, FileResult, Finding, Outcome
from nnx_migrate.core.place import Location
from nnx_migrate.report.html.checks import Checks
from nnx_migrate.report.html.display import visible
from nnx_migrate.report.html.pieces import Piece, pieces_of, wants_code
from nnx_migrate.report.html.review.folding import likeness
from nnx_migrate.report.html.sides import Side, lines_of, rows_of, side_of
from nnx_migrate.report.ways_out import alternatives

#: Gives the file of the page and the line of a place that some evidence names, or nothing.
PlaceOf = Callable[[Path, int], list[Any]]


@dataclasses.dataclass(frozen=True, slots=True)
class FilePage:
    """One file.

    Args:
        entry: its name, status and counts, and for each piece what it is filtered by.
        body: its pieces with their lines, and its findings.
    """

    entry: dict[str, Any]
    body: dict[str, Any]


def file_page(result: FileResult, name: str, checks: Checks | None, place_of: PlaceOf) -> FilePage:
    """Return one file for the page.

    Args:
        result: with the bytes before and after where it changes; else it is read for excerpts.
        name: as it is shown, relative to the root.
        checks: of what was written; None when nothing was checked.
        place_of: leads from evidence to places.
    """
    findings = result.findings
    before = result.before
    if not before and any(map(wants_code, findings)):
        before = _on_disk(result.path)
    old = side_of(result.path, before)
    new = side_of(result.path, result.after) if result.before != result.after else old
    pieces = pieces_of(result, old, new)
    cases = [
        checks.of_place(result.path, each.function) if checks and each.changes else []
        for each in pieces
    ]
    told = {number for piece in pieces for number in piece.own}
    alone = [number for number in range(len(findings)) if number not in told]
    entry = {
        "name": visible(name),
        "status": _status(result, checks),
        "digest": _digest(name, result),
        **_counted(pieces),
        "pieces": [
            _entry(
                piece, findings, (old, new), checks.verdict(its) if checks and piece.changes else ""
            )
            for piece, its in zip(pieces, cases, strict=True)
        ],
        "alone": [_key(findings[number]) for number in alone],
        "todo": list(_todo(result)),
    }
    body = {
        "about": " · ".join(dict.fromkeys(side.about for side in (old, new) if side.about)),
        "reason": visible(result.reason),
        "findings": [_finding(finding, place_of) for finding in findings],
        "alone": alone,
        "pieces": [
            {**_body(piece, old, new), "cases": its}
            for piece, its in zip(pieces, cases, strict=True)
        ],
    }
    return FilePage(entry, body)


def _on_disk(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def _status(result: FileResult, checks: Checks | None) -> str:
    put_back = checks is not None and os.path.realpath(result.path) in checks.put_back
    return "put back" if put_back else str(result.status)


def _counted(pieces: Sequence[Piece]) -> dict[str, int]:
    rows = [row for piece in pieces for row in piece.hunk.rows if not row.equal]
    return {
        "added": sum(row.new is not None for row in rows),
        "removed": sum(row.old is not None for row in rows),
    }


def _entry(
    piece: Piece, findings: Sequence[Finding], sides: tuple[Side, Side], verdict: str
) -> dict[str, Any]:
    own = [findings[number] for number in piece.own]
    follows = [findings[number] for number in piece.follows]
    old, new = sides
    cell = _cell_of(piece, old)
    return {
        "line": piece.line,
        **({"title": f"Cell {cell[0]}, line {cell[1]}"} if cell else {}),
        "rows": len(piece.hunk.rows),
        "changed": sum(not row.equal for row in piece.hunk.rows),
        "findings": [_key(finding) for finding in [*own, *follows]],
        "verdict": verdict,
        "alike": likeness(piece.hunk.rows, old.lines, new.lines, own, follows, verdict),
    }


def _verdict(checks: Checks | None, piece: Piece, cases: Sequence[int]) -> str:
    return checks.verdict(cases) if checks and piece.changes else ""


def _cell_of(piece: Piece, old: Side) -> tuple[int, int] | None:
    """The place of a piece as the reader of a notebook counts; before a cell, its first line."""
    lines = range(piece.line - 1, piece.hunk.old.stop)
    return next((found for line in lines if (found := old.cell_at(line))), None)


def _body(piece: Piece, old: Side, new: Side) -> dict[str, Any]:
    hunk = piece.hunk
    above = hunk.new.start - hunk.old.start if piece.changes else 0
    below = hunk.new.stop - hunk.old.stop if piece.changes else 0
    return {
        "old": piece.hunk.old.start + 1,
        "new": piece.hunk.new.start + 1 if piece.changes else 0,
        "function": visible(piece.function),
        "own": piece.own,
        "follows": piece.follows,
        "rows": list(rows_of(piece.hunk, old, new)),
        "above": list(lines_of(old, new, piece.above, above)),
        "below": list(lines_of(old, new, piece.below, below)),
    }


def _todo(result: FileResult) -> Iterator[list[Any]]:
    """Line, rule, words and place for everything that is left to a person."""
    manual = [finding for finding in result.findings if finding.outcome is Outcome.MANUAL]
    for finding in manual:
        cell = finding.in_cell
        place = f"cell {cell.cell}:{cell.line}" if cell else f"{finding.line or ''}"
        yield [finding.line, finding.rule, visible(finding.message), place]
    if result.reason and all(finding.message != result.reason for finding in manual):
        yield [0, "", visible(result.reason), ""]


def _key(finding: Finding) -> list[str]:
    return [finding.rule, str(finding.outcome)]


def _finding(finding: Finding, place_of: PlaceOf) -> dict[str, Any]:
    return {
        "rule": finding.rule,
        "outcome": str(finding.outcome),
        "line": finding.line,
        "place": _place(finding),
        "message": visible(finding.message),
        "help": [visible(way) for way in alternatives(finding)],
        "evidence": [
            [visible(each.claim), str(each.proof), *_shown_where(each, place_of)]
            for each in finding.evidence
        ],
    }


def _shown_where(evidence: Evidence, place_of: PlaceOf) -> list[Any]:
    where = evidence.where
    if not isinstance(where, Location):
        return [""]
    return [visible(str(where)), *place_of(where.path, where.line)]


def _place(finding: Finding) -> str:
    if finding.in_cell is not None:
        cell = finding.in_cell
        return f"cell {cell.cell}, line {cell.line}, column {cell.column}"
    return f"line {finding.line}, column {finding.column}" if finding.line else "whole file"


def _digest(name: str, result: FileResult) -> str:
    """What a mark "viewed" is kept under: it does not hold for another change of the file."""
    digest = hashlib.blake2b(os.fsencode(name), digest_size=9)
    for part in (result.before, result.after, repr(result.findings).encode(errors="replace")):
        digest.update(hashlib.blake2b(part).digest())
    return digest.hexdigest()
