"""One file as the page gets it: its hunks in order, and the code around what is left to do.

A piece is a hunk, or an excerpt around findings that change nothing. `FilePage.entry` is what the
page always holds of a file, for filters, counts and estimates of height; `FilePage.body` is what it
reads when the file comes into sight.
"""

from __future__ import annotations

import dataclasses
import hashlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from nnx_migrate.outcomes import FileResult, Finding, Outcome
from nnx_migrate.report.html.checks import Checks
from nnx_migrate.report.html.colours import Colours
from nnx_migrate.report.html.display import ShownLine, shown_line, visible
from nnx_migrate.report.html.hunks import Hunk, excerpt, hunks_of
from nnx_migrate.report.html.lines import Line, Row, split_lines
from nnx_migrate.report.html.notebook import notebook_lines
from nnx_migrate.report.html.places import changed_line, sites_of, unit_of
from nnx_migrate.report.html.scopes import unit_at
from nnx_migrate.report.html.words import Span
from nnx_migrate.sources.text import UndecodableSource, decode, newline_of

_ENDS = {"\n": "LF", "\r\n": "CRLF", "\r": "CR"}


@dataclasses.dataclass(frozen=True, slots=True)
class FilePage:
    """One file.

    Args:
        entry: its name, status and counts, and for each piece what it is filtered by.
        body: its pieces with their lines, and its findings.
    """

    entry: dict[str, Any]
    body: dict[str, Any]


@dataclasses.dataclass(frozen=True, slots=True)
class _Side:
    lines: list[Line]
    colours: Colours
    newline: str
    about: str

    def shown(self, place: int, stretches: Mapping[int, Any], marks: Sequence[Span]) -> ShownLine:
        line = self.lines[place]
        end = ""
        if line.end != self.newline:
            end = f"[{_ENDS[line.end]}]" if line.end else "[no newline at the end]"
        return shown_line(line.text, stretches.get(place, ()), marks, end)


def file_page(
    result: FileResult, name: str, checks: Checks | None, place_of: Callable[[str], list[Any]]
) -> FilePage:
    """Return one file for the page.

    Args:
        result: with the bytes before and after where it changes; else it is read for excerpts.
        name: as it is shown, relative to the root.
        checks: of what was written; None when nothing was checked.
        place_of: the file of the page and the line that "path:line" of some evidence means.
    """
    findings = result.findings
    before = result.before
    if not before and any(_wants_code(finding) for finding in findings):
        before = _on_disk(result.path)
    old = _side(result.path, before)
    new = _side(result.path, result.after) if result.before != result.after else old
    hunks = list(hunks_of(old.lines, new.lines)) if new is not old else []
    own, follows = sites_of(hunks, result, len(old.lines))
    in_hunks = {number for numbers in own for number in numbers}
    pieces = [
        (hunk, here, elsewhere, True)
        for hunk, here, elsewhere in zip(hunks, own, follows, strict=True)
    ]
    pieces += [
        (hunk, numbers, [], False) for hunk, numbers in _excerpts(old.lines, findings, in_hunks)
    ]
    pieces.sort(key=lambda piece: (piece[0].old.start, piece[0].old.stop))
    entries, bodies = [], []
    for hunk, here, elsewhere, changes in pieces:
        place = changed_line(hunk) if changes else findings[here[0]].line - 1
        function = unit_of(hunk, old.lines, new.lines) if changes else unit_at(old.lines, place)
        cases = checks.of_place(result.path, function) if checks and changes else []
        entries.append(
            {
                "line": place + 1,
                "rows": len(hunk.rows),
                "changed": sum(not row.equal for row in hunk.rows),
                "findings": [_key(findings[n]) for n in [*here, *elsewhere]],
                "verdict": checks.verdict(cases) if checks and changes else "",
            }
        )
        bodies.append(
            {
                "old": hunk.old.start + 1,
                "new": hunk.new.start + 1 if changes else 0,
                "function": visible(function),
                "own": here,
                "follows": elsewhere,
                "cases": cases,
                "rows": list(_rows(hunk, old, new)),
            }
        )
    shown = in_hunks | {n for _, here, _, changes in pieces if not changes for n in here}
    alone = [number for number in range(len(findings)) if number not in shown]
    rows = [row for hunk in hunks for row in hunk.rows if not row.equal]
    reverted = bool(checks and os.path.realpath(result.path) in checks.put_back)
    entry = {
        "name": visible(name),
        "status": "put back" if reverted else str(result.status),
        "digest": _digest(name, result),
        "added": sum(row.new is not None for row in rows),
        "removed": sum(row.old is not None for row in rows),
        "pieces": entries,
        "alone": [_key(findings[number]) for number in alone],
        "todo": list(_todo(result)),
    }
    body = {
        "about": " · ".join(dict.fromkeys(side.about for side in (old, new) if side.about)),
        "reason": visible(result.reason),
        "findings": [_finding(finding, place_of) for finding in findings],
        "alone": alone,
        "pieces": bodies,
    }
    return FilePage(entry, body)


def _side(path: Path, data: bytes) -> _Side:
    try:
        source = decode(path, data)
        text, encoding = source.text, source.encoding + (" with byte order mark" * source.bom)
    except UndecodableSource:
        # Every byte is a character in this one, so that nothing is left out.
        text, encoding = data.decode("latin-1"), "bytes that are not text, shown as latin-1"
    lines = code = split_lines(text)
    newline = newline_of(text)
    about = [encoding] if encoding != "utf-8" else []
    name = path.name
    if path.suffix == ".ipynb":
        notebook = notebook_lines(lines)
        lines, code, name = notebook.shown, notebook.code, f"{name}.py"
        about.append("lines of cells shown as they are read")
    if newline != "\n":
        about.append(_ENDS[newline])
    return _Side(lines, Colours(name, code), newline, ", ".join(about))


def _on_disk(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def _wants_code(finding: Finding) -> bool:
    return finding.line > 0 and finding.outcome is not Outcome.SAME


def _excerpts(
    lines: Sequence[Line], findings: Sequence[Finding], in_hunks: set[int]
) -> Iterator[tuple[Hunk, list[int]]]:
    """The code around findings that are in no hunk; those of one line share it."""
    by_line: dict[int, list[int]] = {}
    for number, finding in enumerate(findings):
        if number not in in_hunks and _wants_code(finding) and finding.line <= len(lines):
            by_line.setdefault(finding.line, []).append(number)
    for line, numbers in sorted(by_line.items()):
        yield excerpt(line - 1, lines), numbers


def _rows(hunk: Hunk, old: _Side, new: _Side) -> Iterator[list[Any]]:
    """Rows as `[line]` where both sides have it, else `[old, new]` with 0 for none."""
    left = dict(zip(hunk.old, old.colours.of(hunk.old), strict=True))
    right = dict(zip(hunk.new, new.colours.of(hunk.new), strict=True)) if new is not old else left
    for row in hunk.rows:
        if row.equal and row.old is not None:
            yield [old.shown(row.old, left, ())]
        else:
            yield [_line(old, row, left, old_side=True), _line(new, row, right, old_side=False)]


def _line(
    side: _Side, row: Row, stretches: Mapping[int, Any], *, old_side: bool
) -> ShownLine | int:
    place, marks = (row.old, row.old_marks) if old_side else (row.new, row.new_marks)
    return 0 if place is None else side.shown(place, stretches, marks)


def _todo(result: FileResult) -> Iterator[list[Any]]:
    """Line, rule and words for everything that is left to a person."""
    manual = [finding for finding in result.findings if finding.outcome is Outcome.MANUAL]
    for finding in manual:
        yield [finding.line, finding.rule, visible(finding.message)]
    if result.reason and all(finding.message != result.reason for finding in manual):
        yield [0, "", visible(result.reason)]


def _key(finding: Finding) -> list[str]:
    return [finding.rule, str(finding.outcome)]


def _finding(finding: Finding, place_of: Callable[[str], list[Any]]) -> dict[str, Any]:
    return {
        "rule": finding.rule,
        "outcome": str(finding.outcome),
        "line": finding.line,
        "place": _place(finding),
        "message": visible(finding.message),
        "evidence": [
            [visible(each.claim), str(each.proof), visible(each.where), *place_of(each.where)]
            for each in finding.evidence
        ],
    }


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
