"""Notebooks: the code cells of an .ipynb file, edited as spans of its JSON text.

Outputs, metadata and the layout of the JSON are never read into objects that are written again, so
they stay byte for byte; of a changed cell, the lines that did not change stay as they are written.
The form is that of nbformat 4 (https://nbformat.readthedocs.io); of nbformat 3, with worksheets,
too.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from nnx_migrate.sources.documents.document import (
    BOM,
    Block,
    CannotPlace,
    Document,
    Place,
    Unread,
    kept_lines,
)
from nnx_migrate.sources.documents.ipython import IN_COMMAND, Read, read_cell
from nnx_migrate.sources.documents.json_strings import (
    Malformed,
    RawLine,
    column_in,
    items,
    lines_of,
    members,
    value,
)
from nnx_migrate.sources.documents.mentions import free_mark, ignores_unread, mentions_nnx
from nnx_migrate.sources.text import UndecodableSource


@dataclasses.dataclass(frozen=True, slots=True)
class _Cell:
    """The code of a cell where it stands.

    Args:
        number: 1-based, counted over all cells as a reader does.
        start: where the value of its source begins.
        end: where it ends.
        lines: its lines.
        separator: what stands between two strings of the list; None for a single string.
        regular: each string of the list is a line.
    """

    number: int
    start: int
    end: int
    lines: tuple[RawLine, ...]
    separator: str | None
    regular: bool


@dataclasses.dataclass(frozen=True, slots=True)
class _Style:
    """How a file writes JSON: what stands between the strings of a list, and non-ASCII text."""

    separator: str
    ascii: bool


@dataclasses.dataclass(frozen=True, slots=True)
class CellBlock:
    """A cell as a block of a document."""

    cell: _Cell
    read: Read
    mark: str
    style: _Style
    raw: str
    places: tuple[Place, ...]
    shows_last: bool = True

    @property
    def code(self) -> tuple[str, ...]:
        return self.read.code

    @property
    def span(self) -> tuple[int, int]:
        return self.cell.start, self.cell.end

    def columns(self, line: int, column: int) -> tuple[int, int]:
        found = self.cell.lines[line]
        column = self.read.column(line, column)
        at = found.start + column_in(found.body, column - 1)
        return at - self.raw.rfind("\n", 0, at), column

    def rendered(self, lines: Sequence[str]) -> str:
        old = self.cell.lines
        if old and old[-1].text.strip():  # where the last line went, what was above it is no gap
            lines = lines[: max((n for n, line in enumerate(lines, 1) if line.strip()), default=0)]
        kept = kept_lines(self.code, lines)
        new = self.read.restored(lines, self.mark)
        bodies = [
            self._written(line) if at is None else old[at].body
            for at, line in zip(kept, new, strict=True)
        ]
        end = next((line.end for line in old if line.end), r"\n")
        ends = [(at is not None and old[at].end) or end for at in kept]
        if ends:
            ends[-1] = ends[-1] if old and old[-1].end else ""
        strings = [body + end for body, end in zip(bodies, ends, strict=True)]
        if self.cell.separator is None:
            return f'"{"".join(strings)}"'
        whole = self.raw[self.cell.start : self.cell.end]
        opening, closing = _brackets(whole)
        between = self.cell.separator or self.style.separator
        return opening + between.join(f'"{each}"' for each in strings) + closing

    def _written(self, line: str) -> str:
        return json.dumps(line, ensure_ascii=self.style.ascii)[1:-1]


def read_notebook(path: Path, data: bytes) -> Document:
    """Read a notebook.

    Args:
        path: where it lies; not opened.
        data: its bytes.

    Raises:
        UndecodableSource: it is no notebook of Python.
    """
    try:
        raw = data.decode("utf-8")
    except UnicodeDecodeError:
        raise UndecodableSource("it is not UTF-8, as a notebook has to be") from None
    try:
        cells = list(_cells(raw))
    except Malformed as error:
        raise UndecodableSource(f"it is not a notebook: {error}") from None
    except RecursionError:
        raise UndecodableSource("it is not a notebook: its JSON is nested too deeply") from None
    style = _style(raw, cells)
    mark = free_mark(raw)
    blocks: list[Block] = []
    unread: list[Unread] = []
    marks = 0
    at, line = 0, 1
    for cell in cells:
        places = []
        for number, each in enumerate(cell.lines, start=1):
            line += raw.count("\n", at, each.start)
            at = each.start
            places.append(Place(line, cell.number, number))
        texts = [each.text for each in cell.lines]
        read = read_cell(texts, mark, marks)
        marks += len(read.aside)
        if read.reason:
            unread.append(
                Unread(places[0], read.reason, mentions_nnx(texts), ignores_unread(texts))
            )
        for number in read.unseen:
            unread.append(Unread(places[number], IN_COMMAND, True, ignores_unread(texts)))
        blocks.append(CellBlock(cell, read, mark, style, raw, tuple(places)))
    return Document(path, data, raw, "", tuple(blocks), tuple(unread))


def read_cells(path: Path, data: bytes) -> dict[int, str]:
    """The code of each cell as it is written, by the number of the cell.

    Raises:
        UndecodableSource: it is no notebook of Python.
    """
    cells = {}
    for block in read_notebook(path, data).blocks:
        assert isinstance(block, CellBlock)
        cells[block.cell.number] = "\n".join(line.text for line in block.cell.lines)
    return cells


def _cells(raw: str) -> Iterator[_Cell]:
    """The code cells with Python in them, in order."""
    start = len(raw) - len(raw.lstrip(f"{BOM} \t\r\n"))
    keys = dict(members(raw, start))
    _, end = value(raw, start)
    if raw[end:].strip(" \t\r\n"):
        raise Malformed("something follows its end")
    language = _language(raw, keys)
    lists: list[int] = []
    if "cells" in keys:
        lists = [keys["cells"]]
    elif "worksheets" in keys:
        sheets = (dict(members(raw, sheet)) for sheet in items(raw, keys["worksheets"]))
        lists = [sheet["cells"] for sheet in sheets if "cells" in sheet]
    else:
        raise Malformed("it has no cells")
    if language not in ("", "python", "ipython", "python3", "ipython3"):
        raise UndecodableSource(f"it is a notebook of {language}, not of Python")
    starts = (start for cells in lists for start in items(raw, cells))
    for number, start in enumerate(starts, start=1):
        found = _cell(raw, start, number)
        if found is not None:
            yield found


def _language(raw: str, keys: dict[str, int]) -> str:
    metadata = value(raw, keys["metadata"])[0] if "metadata" in keys else {}
    if not isinstance(metadata, dict):
        return ""
    for key, name in (("kernelspec", "language"), ("language_info", "name")):
        section = metadata.get(key)
        if isinstance(section, dict) and isinstance(section.get(name), str):
            return str(section[name]).lower()
    return ""


def _cell(raw: str, start: int, number: int) -> _Cell | None:
    keys = dict(members(raw, start))
    if "cell_type" not in keys or value(raw, keys["cell_type"])[0] != "code":
        return None
    at = keys.get("source", keys.get("input"))
    if at is None:
        raise Malformed(f"cell {number} has no source")
    content, end = value(raw, at)
    if isinstance(content, str):
        lines = lines_of(raw, at, end)
        return _Cell(number, at, end, tuple(lines), None, True)
    if not isinstance(content, list) or not all(isinstance(each, str) for each in content):
        raise Malformed(f"the source of cell {number} is neither a text nor a list of texts")
    strings = [(begin, value(raw, begin)[1]) for begin in items(raw, at)]
    separator = raw[strings[0][1] : strings[1][0]] if len(strings) > 1 else ""
    parts = [lines_of(raw, begin, stop) for begin, stop in strings]
    regular = all(len(part) == 1 for part in parts) and all(part[0].end for part in parts[:-1])
    lines = [line for part in parts for line in part] if regular else _joined(parts)
    return _Cell(number, at, end, tuple(lines), separator, regular)


def _joined(parts: Sequence[Sequence[RawLine]]) -> list[RawLine]:
    """Lines of strings that are cut elsewhere than at the ends of lines."""
    lines: list[RawLine] = []
    for line in (line for part in parts for line in part):
        if lines and not lines[-1].end:
            begun = lines.pop()
            line = RawLine(begun.start, begun.body + line.body, line.end, begun.text + line.text)
        lines.append(line)
    return lines


def _brackets(whole: str) -> tuple[str, str]:
    """What stands before the first and behind the last string of a list."""
    opening = re.match(r"\[\s*", whole)
    closing = re.search(r"\s*\]$", whole)
    if opening is None or closing is None:
        raise CannotPlace("its cell has no lines")
    return opening[0], closing[0]


def _style(raw: str, cells: Sequence[_Cell]) -> _Style:
    separator = next((cell.separator for cell in cells if cell.separator), "")
    if not separator:
        separator = ", " if re.search(r'": ', raw[:1000]) else ","
    return _Style(separator, raw.isascii() and re.search(r"\\u(?!00[01])", raw) is not None)
