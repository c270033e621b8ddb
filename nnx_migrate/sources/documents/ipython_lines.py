"""Lines of a cell that are IPython's, and what is read in their place."""

from __future__ import annotations

import keyword
import re
from collections.abc import Sequence

from nnx_migrate.sources.python_text import parse

#: Line magics that take a statement of Python.
PYTHON_LINES = frozenset({"time", "timeit", "prun", "memit", "mprun", "lprun", "snakeviz"})
#: What runs in other processes, on files, or on the display, and brings no Python with it.
_OUTSIDE = "pip|conda|mamba|uv|cd|ls|pwd|cat|mkdir|cp|mv|rm|matplotlib"
#: What IPython runs without a percent sign too.
_AUTOMAGIC = re.compile(rf"({_OUTSIDE})\s+[^=(\s]")
_COMMAND = re.compile(rf"!|%({_OUTSIDE}|env|set_env|sx|system)\b")
_ESCAPED = re.compile(r"(?P<indent>[ \t]*)(?P<mark>%|!|\?|,|;|/)(?=\S)")
_ASSIGNED = re.compile(r"(?P<target>[ \t]*[\w.,\[\]'\"* \t]+?=[ \t]*)(?P<mark>%|!)(?=\w|!|\.|/|\{)")
_HELP = re.compile(r"(?P<indent>[ \t]*)%{0,2}[\w.*]+(\(\))?\?\??[ \t]*$")
_LINE_MAGIC = re.compile(r"%(?P<name>\w+)[ \t]*")
_NAME = re.compile(r"[^\W\d]\w*")
_USE = re.compile(r"\bnnx\.\w")
_FIELD = re.compile(r"\{([^{}]*)\}|\$(\w+)")


def parses(lines: Sequence[str]) -> bool:
    """Whether lines are Python."""
    return not why_not(lines)


def why_not(lines: Sequence[str]) -> str:
    """Why lines are not Python; empty when they are."""
    try:
        parse("\n".join(lines) + "\n")
    except SyntaxError as error:
        return f"{error.msg} (line {error.lineno})" if error.lineno else str(error.msg)
    except (ValueError, RecursionError, MemoryError) as error:
        return str(error) or type(error).__name__
    return ""


def names_in(text: str) -> list[str]:
    """The names that a text may use."""
    found = {n for n in _NAME.findall(text) if not keyword.iskeyword(n)}
    return sorted(found - {"__ipython__", "__shell__"})


class LineReader:
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
                call = _call(line[found.start("mark") :])
                return self._marked(f"{target}{call}", "statement", line)
            return self._marked(f"{found['indent']}{_call(line)}", "statement", line)
        if _HELP.match(line) or _AUTOMAGIC.match(line):
            indent = line[: len(line) - len(line.lstrip())]
            return self._marked(f"{indent}{_call('!')}", "statement", line)
        return None

    def _python(self, line: str, found: re.Match[str]) -> str | None:
        """`%time x = f()` as `x = f()`, marked; None where the magic takes no Python."""
        magic = _LINE_MAGIC.match(line, found.start("mark"))
        if magic is None or magic["name"] not in PYTHON_LINES:
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
    name = "__shell__" if _COMMAND.match(command.lstrip()) else "__ipython__"
    return f"{name}({', '.join(names_in(_fields(command)))})"


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
