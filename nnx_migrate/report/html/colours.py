"""The syntax of lines, by Pygments: a letter for each stretch of characters.

Only lines that are shown are read. Python is read line by line, once it is known of a line whether
it begins in a string of several lines, and of what kind: so a line that comes again costs nothing.
"""

from __future__ import annotations

import bisect
import functools
import re
from collections.abc import Iterator, Sequence
from pathlib import PurePath

from pygments.lexer import Lexer
from pygments.lexers.markup import MarkdownLexer, RstLexer
from pygments.lexers.python import PythonLexer
from pygments.token import Token, _TokenType

from nnx_migrate.report.html.lines import Line

Stretch = tuple[str, int]

#: Text that stands for itself.
PLAIN = "_"
_LETTERS: dict[_TokenType, str] = {
    Token.Comment: "c",
    Token.Keyword: "k",
    Token.Keyword.Constant: "n",
    Token.Literal.Number: "n",
    Token.Literal.String: "s",
    Token.Literal.String.Interpol: "i",
    Token.Name.Builtin: "b",
    Token.Name.Class: "t",
    Token.Name.Decorator: "d",
    Token.Name.Exception: "b",
    Token.Name.Function: "f",
    Token.Name.Tag: "k",
    Token.Generic.Heading: "f",
    Token.Generic.Subheading: "f",
    Token.Operator.Word: "k",
}
_LEXERS: dict[str, type[Lexer]] = {
    ".md": MarkdownLexer,
    ".rst": RstLexer,
}
_STRING = re.compile(
    r"#[^\n]*"
    r"|([rbfutRBFUT]{0,2})(\"\"\"|''')(?:[^\\]|\\.)*?(?:\2|\Z)"
    r"|\"(?:[^\"\\\n]|\\.)*\"?"
    r"|'(?:[^'\\\n]|\\.)*'?",
    re.DOTALL,
)
# Longer lines are data, and shown without colour.
_LONGEST = 2_000
_LARGEST_DOCUMENT = 200_000


class Colours:
    """The stretches of each line of one text.

    Args:
        name: of the file; what it ends in says what it holds.
        lines: all of the text.
    """

    def __init__(self, name: str, lines: Sequence[Line]) -> None:
        self._lines = [line.text if len(line.text) <= _LONGEST else "" for line in lines]
        lexer = _LEXERS.get(PurePath(name).suffix)
        self._document = lexer(stripnl=False) if lexer else None
        self._opened: list[tuple[int, int, str]] | None = None

    def of(self, shown: range) -> list[list[Stretch]]:
        """Return the stretches of each line; together they are as long as the line, or none."""
        if not shown:
            return []
        if self._document is None:
            return [_python(self._open_string(line), self._lines[line]) for line in shown]
        text = "\n".join([*self._lines[: shown.stop], ""])
        if len(text) > _LARGEST_DOCUMENT:
            return [[] for _ in shown]
        return _stretches(self._document, text, 0, shown.stop)[shown.start :]

    def _open_string(self, line: int) -> str:
        """What opens the string that a line begins in; "" where it begins in none."""
        if self._opened is None:
            self._opened = list(_long_strings("\n".join(self._lines)))
        place = bisect.bisect_left(self._opened, (line,)) - 1
        if place < 0:
            return ""
        _, last, opening = self._opened[place]
        return opening if line <= last else ""


# It keeps nothing of what it reads, and is dear to make.
@functools.cache
def _python_lexer() -> Lexer:
    return PythonLexer(stripnl=False)


# Of its arguments alone: the same lines stand in the old and the new text, and in many files.
@functools.lru_cache(maxsize=50_000)
def _python(opening: str, line: str) -> list[Stretch]:
    return _stretches(_python_lexer(), opening + line, len(opening), 1)[0]


def _stretches(lexer: Lexer, text: str, skipped: int, count: int) -> list[list[Stretch]]:
    """The stretches of each line of a text, without the characters that it was begun with."""
    lines: list[list[Stretch]] = [[] for _ in range(count)]
    line = 0
    for start, kind, value in lexer.get_tokens_unprocessed(text):
        if start < skipped:
            value = value[skipped - start :]
        for number, part in enumerate(value.split("\n")):
            line += bool(number)
            if part:
                _extend(lines[line], _letter(kind), len(part))
    return lines


def _long_strings(text: str) -> Iterator[tuple[int, int, str]]:
    """First and last line of every string that has several, and what opens it."""
    line = position = 0
    for match in _STRING.finditer(text):
        if match[2] is None or "\n" not in match[0]:
            continue
        line += text.count("\n", position, match.start())
        position = match.start()
        yield line, line + match[0].count("\n"), match[1] + match[2]


# Of its argument alone.
@functools.cache
def _letter(kind: _TokenType) -> str:
    while kind is not Token:
        if kind in _LETTERS:
            return _LETTERS[kind]
        assert kind.parent is not None
        kind = kind.parent
    return PLAIN


def _extend(stretches: list[Stretch], letter: str, length: int) -> None:
    if stretches and stretches[-1][0] == letter:
        letter, before = stretches.pop()
        length += before
    stretches.append((letter, length))
