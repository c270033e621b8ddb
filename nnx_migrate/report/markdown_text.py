"""Text of the user inside Markdown: always a code span, where nothing means anything.

In a code span there is no markup, no HTML, no link and no @mention (CommonMark 6.1); what could end
it or its line is made longer or written as an escape.
"""

from __future__ import annotations

import re

from nnx_migrate.report.text import printable

_TICKS = re.compile(r"`+")


def code(text: str) -> str:
    """Return text as a code span that shows it as it is."""
    shown = printable(text)
    if not shown:
        return ""
    longest = max((len(ticks) for ticks in _TICKS.findall(shown)), default=0)
    fence = "`" * (longest + 1)
    # One space on each side is taken off again, unless there is nothing but spaces.
    padded = shown if not shown.strip(" ") else f" {shown} "
    needs_room = shown[0] in "` " or shown[-1] in "` "
    return f"{fence}{padded if needs_room else shown}{fence}"


def cell(text: str) -> str:
    """Return text as a code span in a table, where a bar would end the cell (GFM 4.10)."""
    return code(text).replace("|", "\\|")


def size(text: str) -> int:
    """How long GitHub takes a text to be, counted on the safe side."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
