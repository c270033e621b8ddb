"""What a docstring says of one parameter: the lines that go when the parameter does."""

from __future__ import annotations

import re
from collections.abc import Iterator

from nnx_migrate.rewrite.text.edits import Edit, Text

_SECTION = re.compile(r"([ \t]*)(?:Args|Arguments|Parameters):?[ \t]*")
_UNDERLINE = re.compile(r"[ \t]*-{3,}[ \t]*")
_FIELD = r"[ \t]*:(?:param|parameter|arg|type)\b[^:]*\b{name}:"


def without_parameter(text: Text, first: int, last: int, name: str) -> list[Edit]:
    """Take the entry of a parameter out of a docstring, where others stand beside it.

    Args:
        first: the line that the docstring begins on.
        last: the line that it ends on. What stands on these two is left alone.
    """
    lines = {
        line: text.text[text.line_start(line) : text.line_start(line + 1)].rstrip()
        for line in range(first + 1, last)
    }
    found = [*_in_sections(lines, name), *_fields(lines, name)]
    return [Edit(text.line_start(begin), text.line_start(end), "") for begin, end in found]


def _in_sections(lines: dict[int, str], name: str) -> Iterator[tuple[int, int]]:
    """Entries of `Args:`, and of `Parameters` with a line below it."""
    entry = re.compile(rf"\*?{name}[ \t]*(?:\([^()]*\))?[ \t]*:.*")
    numpy_entry = re.compile(rf"\*?{name}(?:[ \t]*:.*)?")
    for line, content in lines.items():
        section = _SECTION.fullmatch(content)
        if section is None:
            continue
        underlined = bool(_UNDERLINE.fullmatch(lines.get(line + 1, "")))
        if underlined == content.endswith(":"):
            continue
        outer = len(section[1])
        begin = line + 1 + underlined
        entries = _entries(lines, begin, outer, deeper=not underlined)
        own = numpy_entry if underlined else entry
        for start, end in entries:
            if len(entries) > 1 and own.fullmatch(lines[start].strip()):
                yield start, end


def _entries(lines: dict[int, str], begin: int, outer: int, deeper: bool) -> list[tuple[int, int]]:
    """Where the entries of a section begin and end: each with the lines that stand below it.

    Args:
        outer: the indentation of the heading.
        deeper: entries are indented below it.
    """
    starts: list[int] = []
    line, inner = begin, None
    while line in lines:
        content = lines[line]
        indent = _indent(content)
        if content:
            ends = indent <= outer if deeper else indent < outer
            if ends or (not deeper and _UNDERLINE.fullmatch(lines.get(line + 1, ""))):
                break
            inner = indent if inner is None else inner
            if indent == inner:
                starts.append(line)
        line += 1
    ends_at = [*starts[1:], line]
    return [
        (start, _without_blanks(lines, end)) for start, end in zip(starts, ends_at, strict=False)
    ]


def _fields(lines: dict[int, str], name: str) -> Iterator[tuple[int, int]]:
    """`:param name:` and `:type name:`, with what stands deeper below them."""
    field = re.compile(_FIELD.format(name=re.escape(name)))
    for line, content in lines.items():
        if field.match(content):
            end = line + 1
            while lines.get(end) and _indent(lines[end]) > _indent(content):
                end += 1
            yield line, end


def _without_blanks(lines: dict[int, str], end: int) -> int:
    """The end of an entry, without the blank lines in front of what comes next."""
    while not lines.get(end - 1):
        end -= 1
    return end


def _indent(content: str) -> int:
    return len(content) - len(content.lstrip())
