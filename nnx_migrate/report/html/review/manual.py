"""Manual pages as the page gets them: blocks, so that it makes elements and never reads markup.

A block is `["h", text]`, `["code", text]`, `["p", parts]` or `["li", parts]`; parts are texts, and
lists of one text for what is code.
"""

from __future__ import annotations

import itertools
import re
import textwrap
from collections.abc import Iterator, Sequence
from typing import Any

from nnx_migrate.report.html.display import visible

_RULE = re.compile(r"-{3,}")
_ITEM = re.compile(r"[-*] ")
_CODE = re.compile(r"`([^`\n]+)`")


def blocks_of(manual: str) -> list[list[Any]]:
    """Return the blocks of a manual page, in order."""
    return list(_blocks(manual.split("\n")))


def _blocks(lines: Sequence[str]) -> Iterator[list[Any]]:
    position = 0
    while position < len(lines):
        line, rest = lines[position], lines[position + 1 :]
        if not line.strip():
            position += 1
        elif rest and _RULE.fullmatch(rest[0]):
            yield ["h", visible(line.strip())]
            position += 2
        elif line.startswith("    "):
            code = [line, *itertools.takewhile(_is_code, rest)]
            text = textwrap.dedent("\n".join(code)).strip("\n")
            yield ["code", "\n".join(map(visible, text.split("\n")))]
            position += len(code)
        else:
            item = _ITEM.match(line)
            first = line[item.end() :] if item else line
            more = list(itertools.takewhile(_goes_on, rest))
            yield ["li" if item else "p", _parts(" ".join([first, *more]))]
            position += 1 + len(more)


def _is_code(line: str) -> bool:
    return line.startswith("    ") or not line.strip()


def _goes_on(line: str) -> bool:
    return bool(line.strip()) and not _ITEM.match(line)


def _parts(text: str) -> list[Any]:
    """Texts and code, which take turns."""
    parts = enumerate(_CODE.split(" ".join(text.split())))
    return [[visible(part)] if number % 2 else visible(part) for number, part in parts if part]
