"""The two sides of a diff: lines with their colours, as the page gets them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from nnx_migrate.report.html.colours import Colours, Stretch
from nnx_migrate.report.html.display import ShownLine, shown_line
from nnx_migrate.report.html.hunks import Hunk
from nnx_migrate.report.html.lines import Line, Row, same_rows, split_lines
from nnx_migrate.report.html.notebook import notebook_lines
from nnx_migrate.report.html.words import Span
from nnx_migrate.sources.text import UndecodableSource, decode, newline_of

_ENDS = {"\n": "LF", "\r\n": "CRLF", "\r": "CR"}
_Stretches = Mapping[int, Sequence[Stretch]]


@dataclasses.dataclass(frozen=True, slots=True)
class Side:
    """One version of a file.

    Args:
        lines: all of it.
        colours: of these lines.
        newline: that most of them end with.
        about: what is unusual of its encoding and newlines, in words.
        cells: of a notebook, the cell and the line in it for each line; None for what is no line
            of a cell. Empty for other files.
    """

    lines: list[Line]
    colours: Colours
    newline: str
    about: str
    cells: list[tuple[int, int] | None] = dataclasses.field(default_factory=list)

    def cell_at(self, place: int) -> tuple[int, int] | None:
        """The cell of a 0-based line, and the line in it; None where there is none."""
        return self.cells[place] if place < len(self.cells) else None


def side_of(path: Path, data: bytes) -> Side:
    """Read one version of a file.

    Args:
        path: of the file; its name says what it holds.
        data: its bytes.
    """
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
    cells: list[tuple[int, int] | None] = []
    if path.suffix == ".ipynb":
        notebook = notebook_lines(lines)
        lines, code, name = notebook.shown, notebook.code, f"{name}.py"
        cells = notebook.places
    if newline != "\n":
        about.append(_ENDS[newline])
    return Side(lines, Colours(name, code), newline, ", ".join(about), cells)


def rows_of(hunk: Hunk, old: Side, new: Side) -> Iterator[list[Any] | dict[str, int]]:
    """Yield `[line]` for what both sides have, else `[old, new]` with 0 for a line that is not.

    Of a notebook, what is no line of a cell is left out, and each cell begins with its number and
    those of its next lines.
    """
    left, right = _coloured(old, hunk.old), _coloured(new, hunk.new)
    heads = _Heads(old, new)
    for row in hunk.rows:
        if old.cells or new.cells:
            if row.equal and not heads.has_code(row):
                heads.passed(row)
                continue
            yield from heads.before(row)
            heads.passed(row)
        if row.equal and row.old is not None:
            yield [_shown(old, row.old, left)]
        else:
            yield [
                0 if row.old is None else _shown(old, row.old, left, row.old_marks),
                0 if row.new is None else _shown(new, row.new, right, row.new_marks),
            ]


def lines_of(
    old: Side, new: Side, lines: range, shift: int
) -> Iterator[list[Any] | dict[str, int]]:
    """Yield lines that both sides have, as in `rows_of`.

    Args:
        old: the side that they are taken from.
        new: the other one.
        lines: of the old side.
        shift: from a line there to the same line here.
    """
    rows = tuple(same_rows(lines, range(lines.start + shift, lines.stop + shift)))
    return rows_of(Hunk(lines, range(0), rows), old, new)


class _Heads:
    """Where in a hunk of a notebook a cell begins."""

    def __init__(self, old: Side, new: Side) -> None:
        self._old, self._new = old, new
        self._cell: int | None = None
        self._line = 1

    def passed(self, row: Row) -> None:
        if row.old is not None:
            self._line = row.old + 2

    def has_code(self, row: Row) -> bool:
        return self._places(row) != (None, None)

    def before(self, row: Row) -> Iterator[dict[str, int]]:
        """The head that a row needs: `at` is the line of the file, which findings go by."""
        old, new = self._places(row)
        cell = (old or new or (0, 0))[0]
        if cell != self._cell:
            self._cell = cell
            found = {"cell": cell, "old": old[1] if old else 1, "new": new[1] if new else 1}
            yield {**found, "at": self._line if row.old is None else row.old + 1}

    def _places(self, row: Row) -> tuple[tuple[int, int] | None, tuple[int, int] | None]:
        old = None if row.old is None else self._old.cell_at(row.old)
        new = None if row.new is None else self._new.cell_at(row.new)
        return old, new


def _coloured(side: Side, lines: range) -> _Stretches:
    return dict(zip(lines, side.colours.of(lines), strict=True))


def _shown(side: Side, place: int, coloured: _Stretches, marks: Sequence[Span] = ()) -> ShownLine:
    line = side.lines[place]
    end = ""
    if line.end != side.newline:
        end = f"[{_ENDS[line.end]}]" if line.end else "[no newline at the end]"
    return shown_line(line.text, coloured[place], marks, end)
