"""A document as one Python text, and the way back to its bytes.

The code of all blocks, in their order, is one virtual module. Between two blocks stands a boundary:
a comment that no user wrote. Rewrites move with the text, so the boundaries tell where each block
is afterwards; where one is missing, moved or doubled, an edit went across, and nothing is written.
"""

from __future__ import annotations

import ast
import bisect
import dataclasses
import difflib
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Protocol

from nnx_migrate.sources.python_text import parse
from nnx_migrate.sources.text import Source

BOM = "\ufeff"


class CannotPlace(ValueError):
    """New code has no place in its document; the text says why."""


@dataclasses.dataclass(frozen=True, slots=True)
class Place:
    """Where a virtual line stands.

    Args:
        line: 1-based line of the file.
        cell: 1-based number of the notebook's cell, or 0.
        cell_line: 1-based line in the cell, or 0.
    """

    line: int
    cell: int = 0
    cell_line: int = 0


class Block(Protocol):
    """Code of a document that may change."""

    @property
    def code(self) -> Sequence[str]:
        """Its lines as they stand in the virtual text, without their ends."""

    @property
    def span(self) -> tuple[int, int]:
        """The characters of the file that are replaced when it changes."""

    @property
    def places(self) -> Sequence[Place]:
        """Where each line stands."""

    @property
    def shows_last(self) -> bool:
        """Whether the value of its last expression is shown."""

    def columns(self, line: int, column: int) -> tuple[int, int]:
        """The column in the file, and in the block, of one in a line (from 0) of the code."""

    def rendered(self, lines: Sequence[str]) -> str:
        """The characters of the file for new lines.

        Raises:
            CannotPlace: they have no place in it.
        """


@dataclasses.dataclass(frozen=True, slots=True)
class Unread:
    """Code that was not looked into.

    Args:
        place: its first line.
        reason: why, in words that fit behind "not read: ".
        mentions_nnx: what was left out may concern the user.
        ignored: a comment in it says that this is known.
    """

    place: Place
    reason: str
    mentions_nnx: bool
    ignored: bool = False


@dataclasses.dataclass(frozen=True, slots=True)
class Document:
    """Something with Python in it.

    Args:
        path: the file.
        data: its bytes.
        raw: its characters, a byte order mark included.
        prelude: code that the document takes for granted ("from flax import nnx"), or "".
        blocks: its code in order, what could not be read left out.
        unread: what was left out.
    """

    path: Path
    data: bytes
    raw: str
    prelude: str
    blocks: tuple[Block, ...]
    unread: tuple[Unread, ...] = ()

    @property
    def source(self) -> Source:
        """The virtual module."""
        text = self._text()
        data = text.encode("utf-8", "surrogatepass")
        return Source(self.path, data, text, "utf-8", False, tuple(self._stands()))

    def place(self, line: int) -> Place:
        """Where a line of the virtual module stands; the nearest place for what stands nowhere."""
        number, inside = self._inside(line)
        places = self.blocks[number].places if self.blocks else ()
        return places[min(inside, len(places) - 1)] if places else Place(1)

    def virtual_line(self, line: int, cell: int = 0) -> int | None:
        """The line of the virtual module for one of the file or, with `cell`, of a cell."""
        at = 2
        for block in self.blocks:
            for number, place in enumerate(block.places, start=1):
                here = (place.cell, place.cell_line) if cell else (0, place.line)
                if here == (cell, line):
                    return at + number
            at += 1 + len(block.code)
        return None

    def columns(self, line: int, column: int) -> tuple[int, int]:
        """The column in the file, and in its block, of one in a line of the virtual module."""
        number, inside = self._inside(line)
        if not self.blocks or inside >= len(self.blocks[number].code):
            return column, column
        return self.blocks[number].columns(inside, column)

    def block_at(self, line: int) -> int:
        """The number of the block that a line of the virtual module belongs to."""
        return self._inside(line)[0]

    def refuses(self, text: str) -> str:
        """Why a new text of the virtual module cannot be written back; empty when it can."""
        try:
            for _ in self._changes(text):
                pass
        except CannotPlace as error:
            return str(error)
        return ""

    def reads_as(self, text: str, again: Document) -> bool:
        """Whether a document, read again, has a text of this virtual module.

        Blank lines at the end of a block are nothing that a cell keeps.
        """
        blocks = [_stripped(block.code) for block in again.blocks]
        return blocks == [_stripped(lines) for lines in self._split(text)]

    def with_text(self, text: str) -> bytes:
        """The bytes of the document with a new text of its virtual module.

        Raises:
            CannotPlace: an edit went across blocks, or the code has no place in its block.
        """
        pieces: list[str] = []
        done = 0
        for (start, end), replacement in self._changes(text):
            pieces += [self.raw[done:start], replacement]
            done = end
        pieces.append(self.raw[done:])
        return "".join(pieces).encode("utf-8")

    def changes(self, text: str) -> list[tuple[tuple[int, int], str, int]]:
        """Spans of characters that change, what takes their place, and the number of the block."""
        numbers = {block.span: number for number, block in enumerate(self.blocks)}
        return [(span, new, numbers[span]) for span, new in self._changes(text)]

    def _mark(self) -> str:
        mark = "#="
        while mark in self.raw:
            mark += mark[-1]
        return mark

    def _text(self) -> str:
        mark = self._mark()
        lines = [self.prelude]
        for number, block in enumerate(self.blocks):
            lines += [f"{mark}{number}", *block.code]
        return "".join(f"{line}\n" for line in lines)

    def _stands(self) -> Iterator[tuple[int, int, int]]:
        """Where each line of the virtual module stands; the nearest place for what stands nowhere.

        A boundary stands where its block begins, and the prelude where the first one does. A cell
        may have no lines.
        """
        nearest = next((place for block in self.blocks for place in block.places), Place(1))
        places = [nearest]
        for block in self.blocks:
            nearest = block.places[0] if block.places else nearest
            places += [nearest, *block.places]
            nearest = places[-1]
        for place in places:
            yield place.line, place.cell, place.cell_line

    def _inside(self, line: int) -> tuple[int, int]:
        """The number of the block that a virtual line belongs to, and the line in it from 0."""
        starts = []
        at = 2
        for block in self.blocks:
            starts.append(at)
            at += 1 + len(block.code)
        number = max(0, bisect.bisect_right(starts, line) - 1)
        return number, max(0, line - (starts[number] if starts else 0) - 1)

    def _changes(self, text: str) -> Iterator[tuple[tuple[int, int], str]]:
        for block, lines in zip(self.blocks, self._split(text), strict=True):
            if list(block.code) != lines:
                if block.shows_last and shows(block.code) and not shows(lines):
                    raise CannotPlace("the value shown below it would disappear")
                yield block.span, block.rendered(lines)

    def _split(self, text: str) -> list[list[str]]:
        mark = self._mark()
        pieces = re.split(rf"^{re.escape(mark)}(\d+)\n", text, flags=re.MULTILINE)
        expected = [str(number) for number in range(len(self.blocks))]
        if pieces[1::2] != expected or text.count(mark) != len(expected):
            raise CannotPlace("it would change code across blocks")
        if pieces[0] != f"{self.prelude}\n":
            raise CannotPlace("it would change code before the first block")
        return [piece.removesuffix("\n").split("\n") if piece else [] for piece in pieces[2::2]]


def _stripped(lines: Sequence[str]) -> list[str]:
    end = len(lines)
    while end and not lines[end - 1].strip():
        end -= 1
    return list(lines[:end])


def shows(lines: Sequence[str]) -> bool:
    """Whether code ends with an expression whose value is shown."""
    try:
        body = parse("\n".join(lines)).body
    except (SyntaxError, ValueError):
        return False
    if not body or not isinstance(body[-1], ast.Expr):
        return False
    end = body[-1].end_lineno or 0
    rest = lines[end - 1].encode()[body[-1].end_col_offset or 0 :]
    return not rest.lstrip().startswith(b";")


def kept_lines(old: Sequence[str], new: Sequence[str]) -> list[int | None]:
    """For each new line, the number of the old line that it is, or None."""
    first = 0
    while first < min(len(old), len(new)) and old[first] == new[first]:
        first += 1
    last = 0
    while last < min(len(old), len(new)) - first and old[-1 - last] == new[-1 - last]:
        last += 1
    middle_old, middle_new = old[first : len(old) - last], new[first : len(new) - last]
    kept: list[int | None] = [*range(first), *[None] * len(middle_new)]
    kept += range(len(old) - last, len(old))
    matcher = difflib.SequenceMatcher(None, middle_old, middle_new, autojunk=False)
    for i, j, size in matcher.get_matching_blocks():
        for step in range(size):
            kept[first + j + step] = first + i + step
    return kept
