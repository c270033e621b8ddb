"""The function that a line stands in, read off the indentation.

That is right for all code that is laid out as usual, costs next to nothing, and also says something
of a text that does not parse.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from nnx_migrate.report.html.lines import Line

_DEFINITION = re.compile(r"([ \t]*)(?:async[ \t]+)?(def|class)[ \t]+(\w+)")
# Neither an empty line nor the end of a list of parameters says where a block ends.
_NO_BLOCK = re.compile(r"[ \t\f]*(?:#.*|[)\]}].*)?")
# A decorator is that far from its function at most.
_LONGEST_DECORATORS = 40


def unit_at(lines: Sequence[Line], place: int) -> str:
    """Return the outermost function or method around a 0-based line, else the class, or ""."""
    names: list[str] = []
    for kind, name in _scopes(lines, place):
        names.append(name)
        if kind == "def":
            break
    return ".".join(names)


def _scopes(lines: Sequence[Line], place: int) -> list[tuple[str, str]]:
    """Kind and name of all definitions around a line, outermost first."""
    place = _decorated(lines, place)
    found: list[tuple[str, str]] = []
    limit: int | None = None
    for number in range(place, -1, -1):
        text = lines[number].text
        if _NO_BLOCK.fullmatch(text):
            continue
        indent = _indent(text)
        if limit is not None and indent >= limit:
            continue
        match = _DEFINITION.match(text)
        if match:
            found.append((match[2], match[3]))
        limit = indent
        if limit == 0:
            break
    return found[::-1]


def _decorated(lines: Sequence[Line], place: int) -> int:
    """The definition that a line decorates, or the line; the last one for places past the end."""
    place = min(place, len(lines) - 1)
    if place < 0 or not lines[place].text.lstrip().startswith("@"):
        return place
    indent = _indent(lines[place].text)
    for number in range(place + 1, min(len(lines), place + _LONGEST_DECORATORS)):
        if _indent(lines[number].text) == indent and _DEFINITION.match(lines[number].text):
            return number
    return place


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip(" \t"))
