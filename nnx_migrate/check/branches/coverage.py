"""Branches of changed functions, and those that no case took: of Python, and in traced code."""

from __future__ import annotations

import ast
import dataclasses
import itertools
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

from nnx_migrate.check.branches.sites import KINDS, Site, Taken, line_of, place_of, sites_in
from nnx_migrate.check.cases.touched import Touched
from nnx_migrate.check.compare.verdicts import CaseResult, Verdict
from nnx_migrate.check.jobs import Side, SideName

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
# Of a condition in traced code: of what has more, each is told on both sides.
_MOST_WAYS = 64


@dataclasses.dataclass(frozen=True, slots=True)
class Branch:
    """One way that a function can go, and that it did not go.

    Args:
        side: whose code it is.
        path: of the file, relative to the side.
        function: qualified name of the outermost function.
        line: where it begins.
        what: the condition, as it is written.
        cases: that ran the function, and not this.
    """

    side: SideName
    path: str
    function: str
    line: int
    what: str
    cases: tuple[str, ...] = ()

    def __str__(self) -> str:
        where = f"{self.path}:{self.line}" + (" of OLD" if self.side == "old" else "")
        return f"no case took {self.what} in {self.function} ({where})"


@dataclasses.dataclass(frozen=True, slots=True)
class _Function:
    name: str
    lines: range
    text: str
    branches: tuple[tuple[int, str], ...]
    values: tuple[tuple[tuple[int, str], tuple[int, str]], ...]
    sites: tuple[Site, ...]

    def whats(self) -> set[str]:
        """All that may be said of it."""
        found = {what for _, what in (*self.branches, *itertools.chain(*self.values))}
        return found | {each.way(number) for each in self.sites for number in range(_MOST_WAYS)}


def branches_not_taken(
    old: Side, new: Side, touched: Sequence[Touched], results: Sequence[CaseResult]
) -> tuple[Branch, ...]:
    """The branches of changed functions that ran, and that none of their cases took.

    Args:
        old: the tree before.
        new: the tree after.
        touched: what differs.
        results: of the cases; those that are not checked do not count.
    """
    checked = [each for each in results if each.verdict is not Verdict.NOT_CHECKED]
    found: list[Branch] = []
    for each in touched:
        sides = {side.name: _functions(file_of(side, each.path)) for side in (old, new)}
        for name, functions in sides.items():
            beside = sides["old" if name == "new" else "new"]
            for function in functions.values():
                other = beside.get(function.name)
                if other is not None and other.text == function.text:
                    continue
                # What both sides have is said of the new one.
                told = other.whats() if other and name == "old" else set()
                found += _not_taken(name, each.path, function, told, checked)
                found += _ways_not_taken(name, each.path, function, told, checked)
    return tuple(found)


def file_of(side: Side, path: str) -> Path:
    """A touched file on a side.

    Args:
        side: of a single program it is the program.
        path: as `Touched` has it.
    """
    return side.root if side.is_program else side.root / path


def _not_taken(
    side: SideName,
    path: str,
    function: _Function,
    told: Collection[str],
    results: Sequence[CaseResult],
) -> Iterator[Branch]:
    ran: dict[str, set[int]] = {}
    for result in results:
        places = set(result.lines.get(side, {}).get(path, ()))
        places = {place for place in places if line_of(place) in function.lines}
        if places:
            ran[result.name] = places
    taken = {place for places in ran.values() for place in places}
    branches = list(function.branches) if ran else []
    for values in function.values:
        # Of what nobody came to, the branch around it tells.
        if any(place in taken for place, _ in values):
            branches += values
    for place, what in branches:
        if place not in taken and what not in told:
            yield Branch(side, path, function.name, line_of(place), what, tuple(ran))


def _ways_not_taken(
    side: SideName,
    path: str,
    function: _Function,
    told: Collection[str],
    results: Sequence[CaseResult],
) -> Iterator[Branch]:
    """Of conditions inside traced code: those that a case came to, and the ways nobody took."""
    by_site: dict[Site, dict[str, list[Taken]]] = {}
    for result in results:
        for each in result.ways.get(side, ()):
            site = _site_of(each, function.sites) if each.path == path else None
            if site is not None:
                by_site.setdefault(site, {}).setdefault(result.name, []).append(each)
    for site in function.sites:
        cases = by_site.get(site, {})
        some = [each for taken in cases.values() for each in taken]
        taken = {way for each in some for way in each.ways}
        for number in sorted({n for each in some for n in range(each.count)} - taken):
            if (what := site.way(number)) not in told:
                yield Branch(side, path, function.name, site.lines.start, what, tuple(cases))


def _site_of(taken: Taken, sites: Sequence[Site]) -> Site | None:
    """The innermost call that a condition of a program may come from."""
    around = [s for s in sites if taken.line in s.lines and taken.kind == KINDS[s.name]]
    return min(around, key=lambda site: len(site.lines), default=None)


def _functions(file: Path) -> Mapping[str, _Function]:
    try:
        tree = ast.parse(file.read_bytes())
    except (OSError, SyntaxError, ValueError):
        return {}
    return {each.name: each for each in _outermost(tree.body, "")}


def _outermost(body: Sequence[ast.stmt], scope: str) -> Iterator[_Function]:
    for node in body:
        if isinstance(node, _FUNCTIONS):
            lines = range(node.lineno, (node.end_lineno or node.lineno) + 1)
            found = tuple(_branches(node)), tuple(_values(node)), tuple(sites_in(node))
            yield _Function(scope + node.name, lines, ast.dump(node), *found)
        elif isinstance(node, ast.ClassDef):
            yield from _outermost(node.body, f"{scope}{node.name}.")
        else:
            blocks = (getattr(node, name, ()) for name in ("body", "orelse", "finalbody"))
            for block in blocks:
                yield from _outermost(block, scope)


def _branches(function: ast.AST) -> Iterator[tuple[int, str]]:
    for node in ast.walk(function):
        if isinstance(node, ast.If):
            test = ast.unparse(node.test)[:60]
            yield first_line(node.body), f"`if {test}`"
            # An `elif` tells of itself.
            if node.orelse and not (len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If)):
                yield first_line(node.orelse), f"the `else` of `if {test}`"
        elif isinstance(node, ast.Match):
            for case in node.cases:
                yield first_line(case.body), f"`case {ast.unparse(case.pattern)[:60]}`"


def _values(function: ast.AST) -> Iterator[tuple[tuple[int, str], tuple[int, str]]]:
    """Both values of each `a if c else b`."""
    for node in ast.walk(function):
        if isinstance(node, ast.IfExp):
            test = ast.unparse(node.test)[:60]
            yield (
                (place_of(node.body), f"the value of `... if {test}`"),
                (place_of(node.orelse), f"the `else` of `... if {test}`"),
            )


def first_line(body: Sequence[ast.stmt]) -> int:
    """The line that a block of statements begins at.

    Args:
        body: its statements.
    """
    first = body[0]
    decorated = isinstance(first, (*_FUNCTIONS, ast.ClassDef)) and first.decorator_list
    return decorated[0].lineno if decorated else first.lineno
