"""The line of code that a finding is about, with the name underlined."""

from __future__ import annotations

import dataclasses
import json
import re
import unicodedata
from collections.abc import Sequence
from pathlib import Path

from nnx_migrate.core.findings import FileResult, Finding
from nnx_migrate.report.text import printable
from nnx_migrate.sources.documents.kinds import NOTEBOOKS, is_document, read_source
from nnx_migrate.sources.walk.scanning import read_file

_LINE_END = re.compile(r"\r\n|\r|\n")
_NAME = re.compile(r"[\w.]+")
#: Longer lines are cut: the place has to be seen, not the whole line.
_WIDTH = 160
_TAB = "    "


@dataclasses.dataclass(frozen=True, slots=True)
class Frame:
    """A line of code as a terminal may be given it.

    Args:
        number: 1-based, in the file or in the cell.
        code: the line.
        indent: how many columns stand in front of what is meant.
        width: how many columns that takes.
    """

    number: int
    code: str
    indent: int
    width: int


class Sources:
    """The lines of files, each file read once and only the latest kept."""

    def __init__(self) -> None:
        self._path: Path | None = None
        self._cells: dict[int, Sequence[str]] = {}

    def frame(self, result: FileResult, finding: Finding) -> Frame | None:
        """The line of a finding as the file was; None where it has none that can be read."""
        place = self._place(result, finding)
        return _framed(*place) if place is not None else None

    def name(self, result: FileResult, finding: Finding) -> str:
        """The name that a finding is about; "" where there is none that can be read."""
        place = self._place(result, finding)
        return name_at(place[0], place[2]) if place is not None else ""

    def _place(self, result: FileResult, finding: Finding) -> tuple[str, int, int] | None:
        """The line of a finding, and its line and column in the file or in the cell."""
        if not finding.line:
            return None
        if result.path != self._path:
            self._path, self._cells = result.path, _read(result)
        there = finding.in_cell
        cell, line, column = (
            (0, finding.line, finding.column)
            if there is None
            else (there.cell, there.line, there.column)
        )
        lines = self._cells.get(cell, ())
        return (lines[line - 1], line, column) if 0 < line <= len(lines) else None


def name_at(text: str, column: int) -> str:
    """The name, or else the character, in a line that a finding is about; "" behind its end.

    Args:
        text: the line.
        column: 1-based, where the finding is.
    """
    rest = text[column - 1 :]
    name = _NAME.match(rest)
    return name[0] if name is not None else rest[:1]


def _framed(text: str, number: int, column: int) -> Frame:
    before, rest = text[: column - 1], text[column - 1 :]
    meant = name_at(text, column) or " "
    start = max(0, len(before) - _WIDTH // 2)
    head = ("…" if start else "") + _shown(before[start:])
    tail = rest[len(meant) :]
    cut = tail[:_WIDTH] + ("…" if len(tail) > _WIDTH else "")
    return Frame(
        number,
        f"{head}{_shown(meant)}{_shown(cut)}".rstrip(),
        _columns(head),
        max(1, _columns(_shown(meant))),
    )


def _shown(text: str) -> str:
    return printable(text.replace("\t", _TAB))


def _columns(text: str) -> int:
    """How many columns a text takes: letters of East Asia are two wide, accents of none."""
    return sum(
        0 if unicodedata.combining(char) else 1 + (unicodedata.east_asian_width(char) in "WF")
        for char in text
    )


def _read(result: FileResult) -> dict[int, Sequence[str]]:
    """The lines of a file by cell; those of a file without cells as cell 0."""
    path = result.path
    try:
        data = result.before or read_file(path)
        if path.suffix.lower() in NOTEBOOKS:
            return _cells(data)
        if is_document(path):
            return {0: _LINE_END.split(data.decode("utf-8", "replace"))}
        text = read_source(path, data).text
    except (OSError, ValueError, SyntaxError, RecursionError, MemoryError):
        return {}  # the run has said so
    return {0: _LINE_END.split(text)}


def _cells(data: bytes) -> dict[int, Sequence[str]]:
    document = json.loads(data.decode("utf-8-sig"))
    found: dict[int, Sequence[str]] = {}
    for number, cell in enumerate(document.get("cells", []), start=1):
        source = cell.get("source", "")
        found[number] = _LINE_END.split(source if isinstance(source, str) else "".join(source))
    return found
