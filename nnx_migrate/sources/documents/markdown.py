"""Fenced code in Markdown and MyST: ```python, ~~~py, ```{code-cell} ipython3, in lists and quotes.

What is between fences of other languages is passed over, but not what is between the fences of a
directive (````{tab-set}), which is Markdown again, or reStructuredText in ```{eval-rst}.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from nnx_migrate.sources.documents.chunks import PYTHON, Chunk
from nnx_migrate.sources.documents.rst import scan_rst

_FENCE = re.compile(
    r"(?P<lead>[ \t]*(?:(?:>|[-*+]|\d{1,9}[.)])[ \t]*)*)"
    r"(?P<fence>`{3,}|~{3,}|:{3,})[ \t]*(?P<info>.*?)\s*$"
)
_DIRECTIVE = re.compile(r"\{(?P<name>[\w:.-]+)\}[ \t]*(?P<argument>\S*)")
_LANGUAGE = re.compile(r"\{?\.?(?P<name>[\w+-]*)")
_OPTION = re.compile(r"[ \t>]*:[\w-]+:")
_CELLS = frozenset({"code-cell", "jupyter-execute", "ipython"})
_CODE = frozenset({"code-block", "code", "sourcecode"})
_TESTS = frozenset({"testcode", "testsetup", "testcleanup", "doctest"})


def scan_markdown(lines: Sequence[str]) -> Iterator[Chunk]:
    """Yield what should be Python.

    Args:
        lines: the lines of the page.
    """
    at = 0
    around: list[str] = []
    while at < len(lines):
        fence = _opening(lines[at])
        at += 1
        if fence is None:
            continue
        mark, info = fence["fence"], fence["info"]
        if not info and (mark[0] == ":" or (around and _closes(mark, around[-1]))):
            if around and _closes(mark, around[-1]):
                around.pop()
            continue
        directive = _DIRECTIVE.match(info)
        kind = "page" if mark[0] == ":" and directive is None else _kind(info, directive)
        if kind == "page":
            around.append(mark)
            continue
        stop = _end(lines, at, mark)
        if kind == "rst":
            for chunk in scan_rst(lines[at:stop]):
                yield Chunk(at + chunk.first, at + chunk.stop, 0, chunk.shown, chunk.prompts)
        elif kind != "other":
            first = _behind_options(lines, at, stop) if directive else at
            quotes = fence["lead"].count(">")
            prompts = info.startswith("pycon") or (kind == "plain")
            if kind != "plain" or _prompted(lines[first:stop]):
                yield Chunk(first, stop, quotes, kind == "cell", prompts)
        at = min(stop + 1, len(lines))


def _opening(line: str) -> re.Match[str] | None:
    if "```" not in line and "~~~" not in line and ":::" not in line:
        return None
    found = _FENCE.match(line)
    if found is None or (found["fence"][0] == "`" and "`" in found["info"]):
        return None
    return found


def _kind(info: str, directive: re.Match[str] | None) -> str:
    """What stands between fences: code, cell, plain (no language), rst, page or other."""
    if directive is not None:
        name, argument = directive["name"], directive["argument"].lower()
        if name in _CELLS:
            return "cell" if not argument or argument in PYTHON else "other"
        if name in _CODE:
            return "code" if not argument or argument in PYTHON else "other"
        if name in _TESTS:
            return "code"
        if name == "eval-rst":
            return "rst"
        if name.lower() not in PYTHON:
            return "page"
    if not info:
        return "plain"
    language = _LANGUAGE.match(info)
    return "code" if language and language["name"].lower() in PYTHON else "other"


def _end(lines: Sequence[str], at: int, mark: str) -> int:
    """The number of the line with the closing fence, or behind the last line."""
    for number in range(at, len(lines)):
        line = lines[number].lstrip(" \t>").rstrip()
        if line.startswith(mark) and not line.strip(mark[0]):
            return number
    return len(lines)


def _closes(mark: str, opened: str) -> bool:
    return mark[0] == opened[0] and len(mark) >= len(opened)


def _behind_options(lines: Sequence[str], at: int, stop: int) -> int:
    """The number of the first line behind the options of a directive."""
    if at < stop and lines[at].strip(" \t>\r\n") == "---":
        for number in range(at + 1, stop):
            if lines[number].strip(" \t>\r\n") == "---":
                return number + 1
    while at < stop and _OPTION.match(lines[at]):
        at += 1
    return at


def _prompted(lines: Sequence[str]) -> bool:
    first = next((line.lstrip(" \t>") for line in lines if line.strip(" \t>\r\n")), "")
    line = next((line.strip() for line in lines if line.strip()), "")
    return line.startswith(">>> ") and not first.startswith(">>>")
