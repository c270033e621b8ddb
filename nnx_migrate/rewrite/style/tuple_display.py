"""Elements put behind the last one of a tuple, in the layout that the tuple has."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Sequence

from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.text.edits import Edit, Text


def appended(context: FileContext, node: ast.Tuple, names: Sequence[str]) -> Edit:
    """The edit that makes names the last elements of a tuple, a display or a target."""
    text = context.text
    start, end = text.span(node)
    source = text.readable[start:end]
    more = ", ".join(names)
    if not is_parenthesized(source):
        tail = " " if _tokens(source)[-1].string == "," else ", "
        return Edit(end, end, f"{tail}{more}")
    if not node.elts:
        return Edit(end - 1, end - 1, f"{more},")
    last = _tokens(source)[-2]
    place = start + _offset(source, last.end)
    if last.string != ",":
        return Edit(place, place, f", {more}")
    closing = text.line_of(end - 1)
    line = text.line_of(place)
    if closing == line:
        return Edit(place, place, f" {more}" if len(node.elts) == 1 else f" {more},")
    indent = text.indent_of_line(text.line_of(text.span(node.elts[-1])[0]))
    below = text.line_start(line + 1)  # behind a comment on the line of the comma
    lines = "".join(f"{indent}{name},{context.newline}" for name in names)
    return Edit(below, below, lines)


def is_parenthesized(source: str) -> bool:
    """Whether the parenthesis that an expression begins with is closed by its last character."""
    depth = 0
    tokens = _tokens(source)
    for token in tokens:
        if token.string in {"(", "[", "{"} and token.type == tokenize.OP:
            depth += 1
        elif token.string in {")", "]", "}"} and token.type == tokenize.OP:
            depth -= 1
        if depth == 0:
            return token is tokens[-1] and source.startswith("(") and len(tokens) > 1
    return False


def _tokens(source: str) -> list[tokenize.TokenInfo]:
    """The tokens of an expression, without comments and the ends of lines."""
    unified = source.replace("\r\n", "\n").replace("\r", "\n")
    found = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(f"({unified}\n)").readline):
            found.append(token)
    except (tokenize.TokenError, IndentationError):
        pass
    kept = [t for t in found if t.type not in _LAYOUT]
    return kept[1:-1]


def _offset(source: str, place: tuple[int, int]) -> int:
    """The offset of a token's place; the first line has a parenthesis of its own in front."""
    line, column = place
    return Text(source).line_starts[line - 1] + column - (1 if line == 1 else 0)


_LAYOUT = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}
