"""IPython's own syntax in a cell, put aside so that the rest can be read as Python.

    %time state = step(state)     is read as `state = step(state)`
    !ls {folder}                  is read as a call of something unknown with `folder`
    %%timeit                      the rest of the cell is read
    %%bash                        nothing of the cell is read

Each line stays a line. A line that was put aside is marked, and comes back wherever a rewrite moves
it; a mark that is lost or doubled forbids the rewrite.
"""

from __future__ import annotations

import ast
import dataclasses
import keyword
import re
import warnings
from collections.abc import Sequence

from nnx_migrate.sources.documents.document import CannotPlace

#: Why code in a line of IPython's is not read.
IN_COMMAND = "a magic or a shell command takes it"
#: Line magics that take a statement of Python.
_PYTHON_LINES = frozenset({"time", "timeit", "prun", "memit", "mprun", "lprun", "snakeviz"})
#: Cell magics whose body is Python that runs in the notebook.
_PYTHON_CELLS = _PYTHON_LINES | {"capture", "wandb", "scalene"}
#: Cell magics whose body is another language.
_FOREIGN_CELLS = frozenset(
    """
    R HTML SVG bash bigquery cmd configure cython html javascript js latex markdown perl ruby sh
    shell spark sql svg system
    """.split()  # noqa: SIM905
)
#: Cell magics whose body may be Python, but runs elsewhere: in a file, or another process.
_ELSEWHERE = frozenset({"writefile", "file", "python", "python2", "python3", "pypy", "script"})
#: What IPython runs without a percent sign too.
_AUTOMAGIC = re.compile(r"(pip|conda|mamba|uv|cd|ls|pwd|cat|mkdir|cp|mv|rm|matplotlib)\s+[^=(\s]")

_ESCAPED = re.compile(r"(?P<indent>[ \t]*)(?P<mark>%|!|\?|,|;|/)(?=\S)")
_ASSIGNED = re.compile(r"(?P<target>[ \t]*[\w.,\[\]'\"* \t]+?=[ \t]*)(?P<mark>%|!)(?=\w|!|\.|/|\{)")
_HELP = re.compile(r"(?P<indent>[ \t]*)%{0,2}[\w.*]+(\(\))?\?\??[ \t]*$")
_LINE_MAGIC = re.compile(r"%(?P<name>\w+)[ \t]*")
_CELL_MAGIC = re.compile(r"%%(?P<name>\w+)")
_NAME = re.compile(r"[^\W\d]\w*")
_USE = re.compile(r"\bnnx\.\w")
_FIELD = re.compile(r"\{([^{}]*)\}|\$(\w+)")


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
            raise CannotPlace("the cell holds something else than Python")
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
            raise CannotPlace("it would put code in front of a cell magic")
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
    reader = _Reader(mark, first_mark)
    first = next((n for n, line in enumerate(lines) if line.strip()), 0)
    magic = _CELL_MAGIC.match(lines[first])
    if magic and magic["name"] not in _PYTHON_CELLS:
        reason = (
            "" if magic["name"] in _FOREIGN_CELLS else f"what %%{magic['name']} does is unknown"
        )
        return _unread(lines, reason, names and bool(reason))
    reader.read(lines)
    if parses(reader.code):
        return Read(tuple(reader.code), reader.aside, unseen=tuple(reader.unseen))
    return _unread(lines, why_not(lines if not reader.aside else reader.code), names)


def parses(lines: Sequence[str]) -> bool:
    """Whether lines are Python."""
    return not why_not(lines)


def why_not(lines: Sequence[str]) -> str:
    """Why lines are not Python; empty when they are."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse("\n".join(lines) + "\n")
    except SyntaxError as error:
        return f"{error.msg} (line {error.lineno})" if error.lineno else str(error.msg)
    except (ValueError, RecursionError, MemoryError) as error:
        return str(error) or type(error).__name__
    return ""


def _unread(lines: Sequence[str], reason: str, names: bool) -> Read:
    """A cell of which nothing is known but the names that it may use."""
    call = ""
    if names:
        call = f"__ipython__({', '.join(_names(' '.join(lines)))})"
    return Read((call, *[""] * (len(lines) - 1)), {}, True, reason)


def _names(text: str) -> list[str]:
    return sorted({n for n in _NAME.findall(text) if not keyword.iskeyword(n)} - {"__ipython__"})


class _Reader:
    """Puts aside line by line, and knows which lines begin a statement."""

    def __init__(self, mark: str, number: int) -> None:
        self._mark = mark
        self._number = number
        self._state = _State()
        self.code: list[str] = []
        self.unseen: list[int] = []
        self.aside: dict[str, tuple[str, str]] = {}

    def read(self, lines: Sequence[str]) -> None:
        continued = False
        for line in lines:
            if continued:
                self.code.append(self._marked("", "continued", line).strip())
                continued = line.endswith("\\")
                continue
            aside = self._aside(line) if self._state.begins_statement else None
            if aside is None:
                self._state.take(line)
                self.code.append(line)
            else:
                self.code.append(aside)
                continued = line.endswith("\\")

    def _aside(self, line: str) -> str | None:
        """What stands for a line of IPython's syntax; None for a line of Python."""
        for pattern in (_ESCAPED, _ASSIGNED):
            found = pattern.match(line)
            if found is None:
                continue
            given = line
            if found["mark"] == "%":
                python = self._python(line, found)
                if python is not None:
                    return python
            else:
                given = _fields(line)
            if _USE.search(given):
                self.unseen.append(len(self.code))
            if pattern is _ASSIGNED:
                target = found["target"]
                return self._marked(f"{target}{_call(line[found.end() :])}", "statement", line)
            return self._marked(f"{found['indent']}{_call(line)}", "statement", line)
        if _HELP.match(line) or _AUTOMAGIC.match(line):
            indent = line[: len(line) - len(line.lstrip())]
            return self._marked(f"{indent}{_call('')}", "statement", line)
        return None

    def _python(self, line: str, found: re.Match[str]) -> str | None:
        """`%time x = f()` as `x = f()`, marked; None where the magic takes no Python."""
        magic = _LINE_MAGIC.match(line, found.start("mark"))
        if magic is None or magic["name"] not in _PYTHON_LINES:
            return None
        target = found.groupdict().get("target") or ""
        for begin in _beginnings(line, magic.end()):
            statement = line[begin:].strip()
            if statement and parses([target.strip() + statement]):
                indent = line[: len(line) - len(line.lstrip())]
                prefix = line[found.start("mark") : begin]
                code = f"{indent}{target.lstrip()}{line[begin:].rstrip()}"
                return self._marked(code, "prefix", f"{target.lstrip()}\0{prefix}")
        return None

    def _marked(self, code: str, kind: str, written: str) -> str:
        mark = f"{self._mark}{self._number}"
        self._number += 1
        self.aside[mark] = kind, written
        return f"{code}  {mark}"


def _beginnings(line: str, start: int) -> list[int]:
    """Where a statement may begin behind the options of a magic."""
    begins = [start]
    if line.startswith("-", start):
        begins += [m.end() for m in re.compile(r"\s+").finditer(line, start)]
    return begins


def _call(command: str) -> str:
    """A call of something unknown with the names that a command takes from Python."""
    return f"__ipython__({', '.join(_names(_fields(command)))})"


def _fields(command: str) -> str:
    """What a command takes from Python."""
    return " ".join(a or b for a, b in _FIELD.findall(command))


class _State:
    """Follows strings and brackets, to know whether the next line begins a statement."""

    _TOKEN = re.compile(r"\"\"\"|'''|\"|'|#|[(\[{]|[)\]}]|\\.|\\$")

    def __init__(self) -> None:
        self._depth = 0
        self._quote = ""
        self._continued = False

    @property
    def begins_statement(self) -> bool:
        return not (self._depth or self._quote or self._continued)

    def take(self, line: str) -> None:
        self._continued = False
        for token in self._TOKEN.finditer(line):
            found = token[0]
            if self._quote:
                if found == self._quote:
                    self._quote = ""
                continue
            if found == "#":
                return
            if found in "([{":
                self._depth += 1
            elif found in ")]}":
                self._depth = max(0, self._depth - 1)
            elif found == "\\":
                self._continued = True
            elif not found.startswith("\\"):
                self._quote = found
        if len(self._quote) == 1:
            self._quote = ""
