"""Comments that keep code out, written behind the lines that they are for."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping

from nnx_migrate.sources.python_text import parse
from nnx_migrate.sources.suppressions import parse_suppressions

_LINE = re.compile(r"([^\r\n]*)(\r\n|\r|\n|$)")


def with_ignores(text: str, wanted: Mapping[int, Iterable[str]]) -> tuple[str, list[int]]:
    """Add comments that silence rules on lines.

    Args:
        text: Python.
        wanted: the rules by line, 1-based.

    Returns:
        The new text, and the lines that have no room for a comment: those that end in a backslash
        or inside of a string, on every line of what begins there.
    """
    left = []
    for line in sorted(wanted):
        room = room_for(text, line, wanted[line])
        if room is None:
            left.append(line)
        else:
            begin, end, comment = room
            text = f"{text[:begin]}{comment}{text[end:]}"
    return text, left


def room_for(text: str, line: int, rules: Iterable[str]) -> tuple[int, int, str] | None:
    """Where a comment that silences rules on a line fits.

    Args:
        text: Python.
        line: 1-based.
        rules: those that are to be silenced.

    Returns:
        A span at the end of a line and what takes its place; None where there is no room.
    """
    rules = sorted(set(rules))
    for place in dict.fromkeys((line, _last_line(text, line))):
        new = _with_comment(text, place, rules)
        if _holds(new, place, rules) and _means(new) == _means(text):
            lines = _LINE.findall(text)
            begin = sum(len(code) + len(end) for code, end in lines[: place - 1])
            code = lines[place - 1][0]
            return begin + len(code.rstrip()), begin + len(code), _comment(rules)
    return None


def _means(text: str) -> str | None:
    """What the code of a text is; None for none."""
    try:
        return ast.dump(parse(text))
    except (SyntaxError, ValueError):
        return None


def _with_comment(text: str, line: int, rules: Iterable[str]) -> str:
    lines = _LINE.findall(text)
    code, end = lines[line - 1]
    lines[line - 1] = (code.rstrip() + _comment(rules), end)
    return "".join(f"{code}{end}" for code, end in lines)


def _comment(rules: Iterable[str]) -> str:
    return f"  # nnx-migrate: ignore[{', '.join(rules)}]"


def _holds(text: str, line: int, rules: Iterable[str]) -> bool:
    found = {ignore.rule for ignore in parse_suppressions(text).ignores if ignore.line == line}
    return found.issuperset(rules)


def _last_line(text: str, line: int) -> int:
    """Where the first call that begins on a line ends; that line where none does."""
    calls = [
        node.end_lineno or line
        for node in ast.walk(parse(text))
        if isinstance(node, ast.Call) and node.lineno == line
    ]
    return max(calls, default=line)
