"""What a file says without its remarks: comments, and the text of docstrings.

No code does anything else when a remark changes, so what is known of other files stays known. Lines
keep their numbers, which places in other files' findings name.
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
_BLOCKS = ast.stmt | ast.ExceptHandler | ast.match_case


def without_remarks(text: str, tree: ast.Module) -> list[tuple[int, str]]:
    """The lines of a file that are more than a remark, each with its number.

    Args:
        text: the file.
        tree: of it.
    """
    lines = _LINE_END.split(text)
    whole: set[int] = set()
    docstrings: dict[int, int] = {}
    for node in _statements(tree):
        last = _last_line(node)
        if isinstance(node, ast.Expr) and _is_remark(node, lines):
            docstrings[node.lineno] = last
        elif last > (first := _first_line(node)):
            whole.update(range(first, last + 1))
    found: list[tuple[int, str]] = []
    inside = 0
    for number, line in enumerate(lines, start=1):
        if number in docstrings:
            inside = docstrings[number]
            indent = len(line) - len(line.lstrip())
            found.append((number, f"{line[:indent]}docstring to {inside}"))
        elif number in whole:
            found.append((number, line))
        elif number > inside and (said := _said(line)):
            found.append((number, said))
    return found


def _said(line: str) -> str:
    """A line without its comment; as it is where that may be none."""
    if "#" not in line:
        return line.rstrip()
    if _TELLING.search(line) or _WITH_PARTS.search(line):
        return line
    code = _CODE.match(line)
    assert code is not None
    behind = line[code.end() :]
    return line if behind and not behind.startswith("#") else line[: code.end()].rstrip()


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


def _statements(tree: ast.Module) -> Iterator[ast.stmt]:
    """All statements of a file, those in others too."""
    waiting: list[ast.AST] = [tree]
    for node in waiting:  # grows meanwhile
        below = [each for each in children(node) if isinstance(each, _BLOCKS)]
        waiting += below
        yield from (each for each in below if isinstance(each, ast.stmt))


def _first_line(node: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(each.lineno for each in decorators)])


def _last_line(node: ast.stmt) -> int:
    """The last line of a statement, or of the head of one that has others in it."""
    if not any(isinstance(each, _BLOCKS) for each in children(node)):
        return node.end_lineno or node.lineno
    last = node.lineno
    waiting: list[ast.AST] = [node]
    for each in waiting:  # grows meanwhile
        inner = [one for one in children(each) if not isinstance(one, _BLOCKS)]
        waiting += inner
        last = max([last, *(getattr(one, "end_lineno", None) or 0 for one in inner)])
    return last
