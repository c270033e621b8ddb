"""A later text of a file, indexed with the lines that its parts had in an earlier one."""

from __future__ import annotations

import ast
import difflib
import re

from nnx_migrate.analysis.ir.parse import parse, walk

_LINE_END = re.compile(r"\r\n|\r|\n")
#: Lines that the earlier text does not have are numbered from here on.
_NEW = 10_000_000


def with_earlier_lines(text: str, earlier: str) -> ast.Module:
    """The tree of a text, in which all that stands in an earlier one too has the lines from there.

    Raises:
        SyntaxError, RecursionError, MemoryError, ValueError: from Python's parser.
    """
    numbers = _numbers(_LINE_END.split(text), _LINE_END.split(earlier))
    tree = parse(text)
    for node in walk(tree):
        for name in ("lineno", "end_lineno"):
            line = getattr(node, name, None)
            if line is not None:
                setattr(node, name, numbers[line - 1])
    return tree


def _numbers(lines: list[str], earlier: list[str]) -> list[int]:
    """The number of each line."""
    least = min(len(lines), len(earlier))
    head = next((i for i in range(least) if lines[i] != earlier[i]), least)
    least -= head
    tail = next((i for i in range(least) if lines[-1 - i] != earlier[-1 - i]), least)
    found = [_NEW + number for number in range(len(lines))]
    found[:head] = range(1, head + 1)
    found[len(lines) - tail :] = range(len(earlier) - tail + 1, len(earlier) + 1)
    middle, old = lines[head : len(lines) - tail], earlier[head : len(earlier) - tail]
    matcher = difflib.SequenceMatcher(None, old, middle, autojunk=False)
    for first, start, size in matcher.get_matching_blocks():
        found[head + start : head + start + size] = range(head + first + 1, head + first + size + 1)
    return found
