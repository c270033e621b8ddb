"""The two sides of a diff: lines with their colours, as the page gets them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from nnx_migrate.report.html.colours import Colours, Stretch
from nnx_migrate.report.html.display import ShownLine, shown_line
from nnx_migrate.report.html.hunks import Hunk
from nnx_migrate.report.html.lines import Line, split_lines
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
    """

    lines: list[Line]
    colours: Colours
    newline: str
    about: str


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
    if path.suffix == ".ipynb":
        notebook = notebook_lines(lines)
        lines, code, name = notebook.shown, notebook.code, f"{name}.py"
        about.append("lines of cells shown as they are read")
    if newline != "\n":
        about.append(_ENDS[newline])
    return Side(lines, Colours(name, code), newline, ", ".join(about))


def rows_of(hunk: Hunk, old: Side, new: Side) -> Iterator[list[Any]]:
    """Yield `[line]` for what both sides have, else `[old, new]` with 0 for a line that is not."""
    left, right = _coloured(old, hunk.old), _coloured(new, hunk.new)
    for row in hunk.rows:
        if row.equal and row.old is not None:
            yield [_shown(old, row.old, left)]
        else:
            yield [
                0 if row.old is None else _shown(old, row.old, left, row.old_marks),
                0 if row.new is None else _shown(new, row.new, right, row.new_marks),
            ]


def lines_of(side: Side, lines: range) -> Iterator[list[Any]]:
    """Yield lines that both sides have, as in `rows_of`."""
    coloured = _coloured(side, lines)
    return ([_shown(side, line, coloured)] for line in lines)


def _coloured(side: Side, lines: range) -> _Stretches:
    return dict(zip(lines, side.colours.of(lines), strict=True))


def _shown(side: Side, place: int, coloured: _Stretches, marks: Sequence[Span] = ()) -> ShownLine:
    line = side.lines[place]
    end = ""
    if line.end != side.newline:
        end = f"[{_ENDS[line.end]}]" if line.end else "[no newline at the end]"
    return shown_line(line.text, coloured[place], marks, end)
