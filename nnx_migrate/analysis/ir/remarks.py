"""What a file says without its remarks: comments, and the text of docstrings.

No code does anything else when a remark changes, so what is known of other files stays known. Lines
stay where they are, since places in the findings of other files name them.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from nnx_migrate.analysis.ir.parse import children

_LINE_END = re.compile(r"\r\n|\r|\n")
#: All of a line that stands in front of a comment, where no string goes over its end.
_CODE = re.compile(
    r"(?:[^#'\"]"
    r"|'''(?:\\.|[^\\])*?'''|\"\"\"(?:\\.|[^\\])*?\"\"\""
    r"|'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\")*"
)
#: A string that may hold a `#` in any quotes.
_WITH_PARTS = re.compile(r"\b(?:[fFtT][rR]?|[rR][fFtT])['\"]")
#: What in a comment speaks to Python or to this program.
_TELLING = re.compile(r"nnx-migrate|coding[:=]")
#: Fields of statements that hold others.
_BLOCKS = ("body", "handlers", "orelse", "finalbody")
_WITH_BLOCKS = frozenset(
    {ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.If, ast.For, ast.AsyncFor, ast.While}
    | {ast.With, ast.AsyncWith, ast.Try, ast.ExceptHandler, getattr(ast, "TryStar", ast.Try)}
)
_Statement = ast.stmt | ast.ExceptHandler


def without_remarks(text: str, tree: ast.Module) -> str:
    """A file with its remarks blanked: every line of code stands where it stood.

    Args:
        text: the file.
        tree: of it.
    """
    lines = _LINE_END.split(text)
    whole: set[int] = set()
    waiting: list[ast.AST] = [tree]
    for block in waiting:  # grows meanwhile
        for node in _inside(block):
            first, last = node.lineno, node.end_lineno or node.lineno
            if node.__class__ in _WITH_BLOCKS:
                waiting.append(node)
                first, last = _head(node)
            elif isinstance(node, ast.Expr) and _is_remark(node, lines):
                indent = lines[first - 1][: node.col_offset]
                lines[first - 1 : last] = [f"{indent}docstring", *[""] * (last - first)]
            if last > first:
                whole.update(range(first, last + 1))
    for at, line in enumerate(lines):
        if "#" in line and at + 1 not in whole:
            lines[at] = _said(line)
    return "\n".join(lines).rstrip()


def _said(line: str) -> str:
    """A line without its comment; as it is where that may be none."""
    if _TELLING.search(line) or _WITH_PARTS.search(line):
        return line
    code = _CODE.match(line)
    assert code is not None
    end = code.end()
    return line[:end].rstrip() if line.startswith("#", end) else line


def _is_remark(node: ast.Expr, lines: list[str]) -> bool:
    """Whether a statement is a text that stands there by itself, to be read by people alone."""
    if not isinstance(node.value, ast.Constant) or not isinstance(node.value.value, str):
        return False
    first, last = lines[node.lineno - 1], lines[(node.end_lineno or node.lineno) - 1]
    behind = last.encode()[node.end_col_offset or 0 :].decode().strip()
    alone = not first[: node.col_offset].strip() and (not behind or behind.startswith("#"))
    text = node.value.value
    # A single word may be a name, and examples are code.
    return alone and " " in text and ">>>" not in text and not _TELLING.search(text + behind)


def _inside(node: ast.AST) -> Iterator[_Statement]:
    """What stands in the blocks of a statement."""
    for field in _BLOCKS:
        yield from getattr(node, field, ())


def _head(node: _Statement) -> tuple[int, int]:
    """The lines of a statement that stand in front of its blocks."""
    inside = list(_inside(node))
    last = node.lineno
    if _first_line(inside[0]) > last + 1:
        heads = [each for each in children(node) if each not in inside]
        for each in heads:  # grows meanwhile
            end: int | None = getattr(each, "end_lineno", None)
            if end is None:  # the parameters of a function
                heads += children(each)
            last = max(last, end or 0)
    return _first_line(node), last


def _first_line(node: _Statement) -> int:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(each.lineno for each in decorators)])
