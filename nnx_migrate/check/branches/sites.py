"""What in a file chooses between ways: calls in traced code (`lax.cond`), expressions with `if`."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterator

#: What a call of that name is once it is traced.
KINDS = {"cond": "cond", "switch": "cond", "where": "select", "select": "select"}
_MOST_TEXT = 60


@dataclasses.dataclass(frozen=True, slots=True)
class Site:
    """A call that chooses between ways.

    Args:
        name: the last part of what is called.
        lines: from its first line to its last.
        text: as it is written, in short.
    """

    name: str
    lines: range
    text: str

    def way(self, number: int) -> str:
        """One of its ways, in words.

        Args:
            number: as the traced program counts.
        """
        if self.name == "switch":
            return f"branch {number} of {self.text}"
        side = "branch" if self.name == "cond" else "side"
        return f"the {'true' if number else 'false'} {side} of {self.text}"


@dataclasses.dataclass(frozen=True, slots=True)
class Taken:
    """The ways that a case took at a place.

    Args:
        path: of the file, relative to the side.
        line: of the call.
        kind: "cond" or "select".
        count: how many ways there are.
        ways: those that it took; of a proof, which holds for all inputs, all.
    """

    path: str
    line: int
    kind: str
    count: int
    ways: tuple[int, ...]


# No file has so many lines.
_MOST_LINES = 2**24


def place_of(value: ast.expr) -> int:
    """A number that tells one value of `a if c else b` from whatever else is on its line.

    Args:
        value: one of the two, as it was parsed; lines themselves are smaller numbers.
    """
    # Of two expressions that begin at one place, one ends earlier.
    size = (value.end_lineno or 0) - value.lineno, value.end_col_offset or 0
    place = 0
    for each in (*size, value.col_offset + 1, value.lineno):
        place = place * _MOST_LINES + each
    return place


def line_of(place: int) -> int:
    """The line of a place.

    Args:
        place: from `place_of`, or a line.
    """
    return place % _MOST_LINES


def sites_in(node: ast.AST) -> Iterator[Site]:
    """The calls in a piece of code that choose between ways.

    Args:
        node: parsed; a call with one argument, as of `jnp.where(mask)`, chooses nothing.
    """
    for each in ast.walk(node):
        if isinstance(each, ast.Call) and len(each.args) + len(each.keywords) > 1:
            name = _name(each.func)
            if name in KINDS:
                first = f"({ast.unparse(each.args[0])}, ...)" if each.args else "(...)"
                text = ast.unparse(each.func) + first
                short = text if len(text) <= _MOST_TEXT else f"{text[:_MOST_TEXT]}..."
                lines = range(each.lineno, (each.end_lineno or each.lineno) + 1)
                yield Site(name, lines, f"`{short}`")


def _name(function: ast.expr) -> str:
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""
