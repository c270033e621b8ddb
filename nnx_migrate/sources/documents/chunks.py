"""What the scanners of pages hand on: lines that should be Python."""

from __future__ import annotations

import dataclasses
import re

PYTHON = frozenset(
    {"python", "py", "python3", "py3", "ipython", "ipython3", "pycon", "default", "doctest"}
)
LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|$)")


@dataclasses.dataclass(frozen=True, slots=True)
class Chunk:
    """Lines of a page.

    Args:
        first: number of the first line, from 0.
        stop: number of the line behind the last.
        quotes: how many ">" stand in front of each line.
        shown: a reader is shown the value of the last expression.
        prompts: only what stands behind ">>>" is code, whatever else there is.
    """

    first: int
    stop: int
    quotes: int = 0
    shown: bool = False
    prompts: bool = False


def split_lines(text: str) -> list[str]:
    """The lines of a text with their ends, as Python counts them."""
    lines = LINE.findall(text)
    return lines[:-1] if lines and not lines[-1] else lines


def width(line: str) -> int:
    """How far a line is indented, in characters."""
    return len(line) - len(line.lstrip(" \t"))
