"""IPython's own syntax in a cell, put aside so that the rest can be read as Python.

    %time state = step(state)     is read as `state = step(state)`
    !ls {folder}                  is read as a call of something unknown with `folder`
    %run other.ipynb              the same, which may bring in other files
    %%timeit                      the rest of the cell is read
    %%bash                        nothing of the cell is read

Each line stays a line. A line that was put aside is marked, and comes back wherever a rewrite moves
it; a mark that is lost or doubled forbids the rewrite.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence

from nnx_migrate.sources.documents.document import CannotPlace
from nnx_migrate.sources.documents.ipython_lines import (
    PYTHON_LINES,
    LineReader,
    names_in,
    parses,
    why_not,
)

#: Why code in a line of IPython's is not read.
IN_COMMAND = "a magic or a shell command takes it"
#: Cell magics whose body is Python that runs in the notebook.
_PYTHON_CELLS = PYTHON_LINES | {"capture", "wandb", "scalene"}
#: Cell magics whose body is another language.
_FOREIGN_CELLS = frozenset(
    """
    R HTML SVG bash bigquery cmd configure cython html javascript js latex markdown perl ruby sh
    shell spark sql svg system
    """.split()  # noqa: SIM905 - in words it is read at a glance
)
#: Cell magics whose body may be Python, but runs elsewhere: in a file, or another process.
_ELSEWHERE = frozenset({"writefile", "file", "python", "python2", "python3", "pypy", "script"})
_CELL_MAGIC = re.compile(r"%%(?P<name>\w+)")


@dataclasses.dataclass(frozen=True, slots=True)
class Read:
    """A cell as Python.

    Args:
        code: its lines, those of IPython put aside.
        aside: what stands for each mark: the text in front, and the text as it was written.
        foreign: it is not Python and stays as it is.
        reason: why it could not be read, or "".
        unseen: numbers of lines, from 0, that hand code of NNX to a command or an unknown magic.
    """

    code: tuple[str, ...]
    aside: dict[str, tuple[str, str]] = dataclasses.field(default_factory=dict)
    foreign: bool = False
    reason: str = ""
    unseen: tuple[int, ...] = ()

    def restored(self, lines: Sequence[str], mark: str) -> list[str]:
        """Lines of a rewritten cell with IPython's syntax back in its place.

        Raises:
            CannotPlace: a line that was put aside is gone, doubled, moved or spread.
        """
        if self.foreign and list(self.code) != list(lines):
            raise CannotPlace("the cell is not Python")
        if not self.aside or self.foreign:
            return list(lines)
        found: list[str] = []
        restored = []
        for line in lines:
            marks = re.findall(rf"{re.escape(mark)}\d+", line)
            found += marks
            restored.append(self._line(line, marks[0]) if marks else line)
        if found != list(self.aside):
            raise CannotPlace("it would change a magic or a shell command")
        first = next(iter(self.aside.values()))[1]
        if first.startswith("%%") and restored[0] != first:
            raise CannotPlace("it would put code before a cell magic")
        for line, following in zip(restored, [*lines[1:], ""], strict=True):
            if line.endswith("\\") and line not in self.code and mark not in following:
                raise CannotPlace("it would change a shell command of several lines")
        return restored

    def column(self, line: int, column: int) -> int:
        """The column, as the line is written, of one in a line (from 0) of the code."""
        code = self.code[line]
        for mark, (kind, written) in self.aside.items():
            if kind == "prefix" and code.endswith(f"  {mark}"):
                target, _, prefix = written.partition("\0")
                begins = len(code) - len(code.lstrip()) + len(target)
                return column + len(prefix) if column > begins else column
        return column

    def _line(self, line: str, mark: str) -> str:
        kind, written = self.aside[mark]
        indent = line[: len(line) - len(line.lstrip())]
        if kind != "prefix":
            return indent + written.lstrip() if kind == "statement" else written
        # "%time " goes back in front of the statement, or of what is assigned.
        code = line[: line.rindex(f"  {mark}")]
        target, _, prefix = written.partition("\0")
        if code.strip() and parses([code.strip()]) and code.lstrip().startswith(target):
            rest = code.lstrip()[len(target) :]
            return f"{indent}{target}{prefix}{rest}"
        raise CannotPlace("it would spread what a magic runs over several lines")


def read_cell(lines: Sequence[str], mark: str, first_mark: int, *, names: bool = True) -> Read:
    """Read a cell.

    Args:
        lines: its lines without their ends.
        mark: what marks are made of; a comment's beginning that occurs nowhere in the document.
        first_mark: the number of the first mark.
        names: what cannot be read may use the names in it.
    """
    if parses(lines):
        return Read(tuple(lines))
    reader = LineReader(mark, first_mark)
    first = next((n for n, line in enumerate(lines) if line.strip()), 0)
    magic = _CELL_MAGIC.match(lines[first])
    if magic and magic["name"] not in _PYTHON_CELLS:
        name = magic["name"]
        if name in _FOREIGN_CELLS:
            return _unread(lines, "", names=False)
        if name in _ELSEWHERE:
            return _unread(
                lines, f"%%{name} writes it to a file or runs it in another process", names=False
            )
        return _unread(lines, f"what %%{name} does is unknown", names=names)
    reader.read(lines)
    if parses(reader.code):
        return Read(tuple(reader.code), reader.aside, unseen=tuple(reader.unseen))
    return _unread(lines, why_not(lines if not reader.aside else reader.code), names=names)


def _unread(lines: Sequence[str], reason: str, *, names: bool) -> Read:
    """A cell of which nothing is known but the names that it may use."""
    call = ""
    if names:
        call = f"__ipython__({', '.join(names_in(' '.join(lines)))})"
    return Read((call, *[""] * (len(lines) - 1)), {}, True, reason)
