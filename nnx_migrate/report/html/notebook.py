"""Notebooks as people read them: the lines of their cells as code, not as strings of JSON.

Every line of the file stays a line, so that its number is that of the file and of its findings.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterator, Sequence

from nnx_migrate.report.html.lines import Line

_KIND = re.compile(r'\s*"cell_type": "(\w+)",?')
_SOURCE = re.compile(r'\s*"source": \[')
_STRING = re.compile(r'\s*("(?:[^"\\]|\\.)*"),?')


@dataclasses.dataclass(frozen=True, slots=True)
class NotebookLines:
    """The lines of a notebook.

    Args:
        shown: as they are read.
        code: the same, empty where they are no Python.
        places: the cell of each and the line in it, both counted from 1; None for what is no line
            of a cell.
    """

    shown: list[Line]
    code: list[Line]
    places: list[tuple[int, int] | None]


def notebook_lines(lines: Sequence[Line]) -> NotebookLines:
    """Return the lines of a notebook with those of its cells as text.

    Args:
        lines: of the file. One that is laid out in another way than notebooks are by those who
            write them stays as it is.
    """
    read = list(_read(lines))
    return NotebookLines(*map(list, zip(*read, strict=True))) if read else NotebookLines([], [], [])


def _read(lines: Sequence[Line]) -> Iterator[tuple[Line, Line, tuple[int, int] | None]]:
    kind, in_source = "", False
    cell = number = 0
    for line in lines:
        no_code = Line("", line.end)
        found = _KIND.fullmatch(line.text)
        string = _STRING.fullmatch(line.text) if in_source else None
        if string is None:
            kind = found[1] if found else kind
            cell += found is not None
            in_source = _SOURCE.fullmatch(line.text) is not None
            number = 0
            yield line, no_code, None
            continue
        text = str(json.loads(string[1], strict=False)).removesuffix("\n")
        shown = Line(text, line.end)
        number += 1
        yield shown, shown if kind == "code" else no_code, (cell, number)
