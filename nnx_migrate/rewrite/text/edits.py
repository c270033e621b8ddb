"""Edits as spans of characters, so that what no edit touches stays byte for byte."""

from __future__ import annotations

import ast
import bisect
import dataclasses
import functools
import io
import itertools
import re
import tokenize
from collections.abc import Iterable

from nnx_migrate.sources.formatter_width import LINE_WIDTH
from nnx_migrate.sources.python_text import readable

#: As long a line as edits leave where they can, and nothing says how long one may be.
MAX_LINE = LINE_WIDTH
# What Python's parser counts as the end of a line; str.splitlines knows more (form feeds, \x85).
_LINE_END = re.compile(r"\r\n|\r|\n")


@dataclasses.dataclass(frozen=True, slots=True, order=True)
class Edit:
    """Replace text[start:end]; equal offsets insert, those at one place in their given order."""

    start: int
    end: int
    replacement: str


class Text:
    """Source text with the offsets of its lines, to go from syntax tree places to characters."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.line_starts = _line_starts(text)

    @functools.cached_property
    def readable(self) -> str:
        """The text, once it was parsed, with spaces for what only a newer Python can read."""
        return readable(self.text)

    @functools.cached_property
    def comments(self) -> tuple[tuple[int, str], ...]:
        """Offset and text of every comment."""
        unified = self.readable.replace("\r\n", "\n").replace("\r", "\n")
        return tuple(
            (self.line_start(token.start[0]) + token.start[1], token.string.rstrip())
            for token in tokenize.generate_tokens(io.StringIO(unified).readline)
            if token.type == tokenize.COMMENT
        )

    def offset(self, line: int, column: int) -> int:
        """The character offset of a syntax tree place: line from 1, column in UTF-8 bytes."""
        start = self.line_starts[line - 1]
        stop = self.line_starts[line] if line < len(self.line_starts) else len(self.text)
        content = self.text[start:stop]
        if content.isascii():
            return start + column
        return start + len(content.encode()[:column].decode())

    def span(self, node: ast.expr | ast.stmt | ast.arg | ast.keyword) -> tuple[int, int]:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return (
            self.offset(node.lineno, node.col_offset),
            self.offset(node.end_lineno, node.end_col_offset),
        )

    def of(self, node: ast.expr | ast.stmt | ast.arg | ast.keyword) -> str:
        """The source text of a node, as it is written."""
        start, end = self.span(node)
        return self.text[start:end]

    def line_of(self, offset: int) -> int:
        """The line, from 1, that a character is on."""
        return bisect.bisect_right(self.line_starts, offset)

    def line_start(self, line: int) -> int:
        return self.line_starts[line - 1]

    def line_and_column(self, offset: int) -> tuple[int, int]:
        """Where a character stands, both from 1."""
        line = self.line_of(offset)
        return line, offset - self.line_start(line) + 1

    def indent_of_line(self, line: int) -> str:
        """The white space that a line begins with."""
        start = self.line_starts[line - 1]
        match = re.compile(r"[ \t\f]*").match(self.text, start)
        return match.group() if match else ""


def _line_starts(text: str) -> list[int]:
    if "\r" in text:
        return [0, *map(re.Match.end, _LINE_END.finditer(text))]
    return [0, *itertools.accumulate([len(line) + 1 for line in text.split("\n")[:-1]])]


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """Apply edits that do not overlap.

    Raises:
        ValueError: two edits overlap, which is an error of the plan that made them.
    """
    pieces: list[str] = []
    position = 0
    for edit in sorted(edits, key=lambda e: (e.start, e.end)):
        if edit.start < position:
            raise ValueError(f"edits overlap at character {edit.start}")
        pieces += [text[position : edit.start], edit.replacement]
        position = edit.end
    pieces.append(text[position:])
    return "".join(pieces)


def indents(edits: Iterable[Edit]) -> bool:
    """Whether edits move whole lines, so that what others would insert there would be misplaced."""
    return any(e.start == e.end and e.replacement and not e.replacement.strip() for e in edits)


def hull(edits: Iterable[Edit]) -> tuple[int, int]:
    """The smallest span that holds all edits."""
    edits = list(edits)
    return min(e.start for e in edits), max(e.end for e in edits)


class LineMap:
    """Follows lines through rounds of edits, so that findings name lines of the file as it was."""

    def __init__(self, lines: int) -> None:
        self._original = list(range(1, lines + 1))

    def original(self, line: int) -> int:
        if 0 < line <= len(self._original):
            return self._original[line - 1]
        return self._original[-1] if self._original else line

    def advance(self, before: Text, edits: Iterable[Edit]) -> None:
        """Account for edits to `before`: new lines belong to the line that they were put at."""
        result: list[int] = []
        at, number, begun = 0, self._original[0], False
        position = 0
        for edit in sorted(edits, key=lambda e: (e.start, e.end)):
            first, last = before.line_of(edit.start) - 1, before.line_of(edit.end) - 1
            if first > at:
                result += [number, *self._original[at + 1 : first]]
                at, number, begun = first, self._original[first], False
                position = before.line_starts[first]
            begun = begun or bool(before.text[position : edit.start].strip())
            breaks = list(_LINE_END.finditer(edit.replacement))
            if breaks:
                result += [number, *[self._original[first]] * (len(breaks) - 1)]
                number, begun = self._original[first], False
            begun = begun or bool(edit.replacement[breaks[-1].end() if breaks else 0 :].strip())
            # A line that is joined from several begins where the first of its code did.
            number = number if begun else self._original[last]
            at, position = last, edit.end
        result += [number, *self._original[at + 1 :]]
        self._original = result
