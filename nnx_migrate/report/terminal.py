"""What only a terminal gets: colours, a moving line, and escapes for what would control it.

https://no-color.org and https://force-color.org say when to colour. A diff is coloured only on a
terminal, whatever FORCE_COLOR says: a patch in a file has to stay a patch.
"""

from __future__ import annotations

import contextlib
import enum
import os
import re
import shutil
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, TextIO

from nnx_migrate.report.text import Paint, printable

if TYPE_CHECKING:
    from nnx_migrate.core.totals import Totals
    from nnx_migrate.report.progress.bar import Bar

_HUNK = re.compile(r"@@ -\d+(?:,(?P<old>\d+))? \+\d+(?:,(?P<new>\d+))? @@")
_COLOURS = {
    "rewritten": "32",
    "rewritten-checked": "32",
    "pinned": "33",
    "pinned-mid": "33",
    "manual": "1;31",
    "failed": "1;31",
    "reverted": "1;31",
    "skipped": "35",
    "same": "2",
    "place": "1",
    "rule": "36",
    "+": "32",
    "-": "31",
    "@": "36",
    "header": "1",
    "frame": "34",
    "note": "1",
}


class Colour(enum.StrEnum):
    """When to colour."""

    #: On a terminal, and by NO_COLOR and FORCE_COLOR.
    AUTO = "auto"
    ALWAYS = "always"
    NEVER = "never"


def colours(stream: TextIO, wanted: Colour = Colour.AUTO) -> bool:
    """Whether what is written to a stream may be coloured."""
    if wanted is not Colour.AUTO:
        return wanted is Colour.ALWAYS
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR", "0") != "0":
        return True
    return moves(stream)


def moves(stream: TextIO) -> bool:
    """Whether a line on a stream can be written again."""
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def painted(style: str, text: str) -> str:
    """A text in the colour of a style."""
    return f"\x1b[{_COLOURS[style]}m{text}\x1b[0m" if style in _COLOURS else text


def paint_for(stream: TextIO, wanted: Colour = Colour.AUTO) -> Paint | None:
    """How to colour what is written to a stream; None for not at all."""
    return painted if colours(stream, wanted) else None


def shown(text: str) -> str:
    """Code as a terminal may be given it: tabs and ends of lines as they are, no other control."""
    return "\n".join("\t".join(map(printable, line.split("\t"))) for line in text.split("\n"))


def shown_diff(patch: bytes, *, colour: bool) -> str:
    """A patch for the eyes of who sits at a terminal."""
    lines = patch.decode("utf-8", "backslashreplace").split("\n")
    old = new = 0
    told = []
    for line in lines:
        hunk = _HUNK.match(line) if not (old or new) else None
        if hunk is not None:
            old, new = int(hunk["old"] or 1), int(hunk["new"] or 1)
            style = "@"
        elif not (old or new):
            style = "" if line.startswith("\\") else "header"
        else:
            style = line[:1]
            old -= style in " -"
            new -= style in " +"
        told.append(painted(style, shown(line)) if colour and line else shown(line))
    return "\n".join(told)


@contextlib.contextmanager
def progress_on(stream: TextIO, wanted: Colour = Colour.AUTO) -> Iterator[Bar | None]:
    """A bar that moves while the block runs; none where no line can be written again."""
    if not moves(stream):
        yield None
        return
    from nnx_migrate.report.progress.bar import bar_on

    with bar_on(stream, colour=colours(stream, wanted)) as bar:
        yield bar


def table_for(stream: TextIO, wanted: Colour = Colour.AUTO) -> Callable[[Totals], str] | None:
    """How to draw the numbers of a run; None where a plain list has to do."""
    if not moves(stream):
        return None

    def table(totals: Totals) -> str:
        from nnx_migrate.report.tables import table_of_rules

        return table_of_rules(totals, colour=colours(stream, wanted))

    return table


def width_of(stream: TextIO) -> int | None:
    """How many columns lines have; None where they are as long as they are, as in a file."""
    return shutil.get_terminal_size().columns if stream.isatty() else None
