"""Texts of a run as people may be shown them: without control characters, numbers with nouns."""

from __future__ import annotations

import textwrap
from collections.abc import Callable

from nnx_migrate.core.findings import Evidence

#: Lines are no shorter than this, however narrow the terminal is.
_LEAST = 20
#: Makes a text look like what it is: an outcome, a status, a "place" or a "rule".
Paint = Callable[[str, str], str]


def printable(text: str) -> str:
    """Return `text` with control characters, and what cannot be printed, written as escapes."""
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode() for char in text
    )


def first_on_line(path: str) -> str:
    """A path at the beginning of a line, where some logs take it for a command.

    GitHub Actions and Azure obey lines that begin with `::` or `##`, and git can commit such names.

    Args:
        path: as it is shown.
    """
    return f"./{path}" if path.lstrip().startswith(("::", "##")) else path


def wrapped(text: str, width: int | None, indent: str = "") -> list[str]:
    """A text as lines that fit, those behind the first ones indented.

    Args:
        text: one line.
        width: of the terminal; None for lines as long as they are.
        indent: what the other lines begin with.
    """
    if width is None or len(text) <= width:
        return [text]
    room = max(width, len(indent) + _LEAST)
    return textwrap.wrap(
        text, room, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def evidence_line(evidence: Evidence) -> str:
    """A precondition of a finding, with how it is known and where."""
    claim, where = printable(evidence.claim), printable(str(evidence.where or ""))
    # A claim that names the place itself is not followed by it.
    place = f" ({where})" if where and where not in claim else ""
    allowed = f" [--allow {evidence.permission}]" if evidence.permission else ""
    return f"    {evidence.proof}: {claim}{place}{allowed}"


def plural(number: int, noun: str) -> str:
    """A number with its noun: "1 file", "1,234 files"."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
