"""What all kinds of documents look for in code that they cannot read."""

from __future__ import annotations

import re
from collections.abc import Iterable

_NNX = re.compile(r"\bnnx\b")
_IGNORE = re.compile(r"#\s*nnx-migrate:\s*ignore(?:\[[^\]]*\bunread-code\b[^\]]*\])?\s*(?:$|#)")


def mentions_nnx(lines: Iterable[str]) -> bool:
    """Whether code may concern NNX."""
    return any(_NNX.search(line) for line in lines)


def ignores_unread(lines: Iterable[str]) -> bool:
    """Whether a comment says that it is known that this code is not read."""
    return any(_IGNORE.search(line) for line in lines)


def free_mark(raw: str) -> str:
    """The beginning of a comment that occurs nowhere in a text."""
    mark = "#~"
    while mark in raw:
        mark += "~"
    return mark
