"""Which branches of changed files a case takes.

A probe at the start of each function and branch, put there when the file is compiled: to watch
every line would make a trace take three times as long. The values of `a if c else b` have one
each, too. What a function is compared by is its code
without the probes.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType
from typing import Any

from nnx_migrate.check.branches.coverage import file_of, first_line
from nnx_migrate.check.branches.sites import place_of
from nnx_migrate.check.jobs import Side
from nnx_migrate.check.recording.compiling import comes_first, put_first

# Lines, and of expressions the numbers that `place_of` gives.
Lines = Mapping[str, tuple[int, ...]]
# No two underscores in front: they would be mangled in a class.
_PROBE = "_nnx_migrate_ran"
# Since the current case began: files and places.
_ran: set[tuple[str, int]] = set()
_as_written: dict[CodeType, CodeType] = {}
_watched: set[str] = set()
_plain_code = SourceFileLoader.get_code


def ran(place: int = 0) -> None:
    """Notes where this is called from.

    Args:
        place: of an expression, from `place_of`; 0 for the line.
    """
    frame = sys._getframe(1)
    _ran.add((frame.f_code.co_filename, place or frame.f_lineno))


class LinesRun:
    """The probed lines that run from now on, until the next one of these is made.

    Args:
        side: whose watched files are looked at.
    """

    def __init__(self, side: Side) -> None:
        _ran.clear()
        self._files = {str(file_of(side, path)): path for path in side.watched}

    @property
    def lines(self) -> Lines:
        """Where functions and branches began, by path."""
        found: dict[str, list[int]] = {}
        for file, line in sorted(_ran):
            if file in self._files:
                found.setdefault(self._files[file], []).append(line)
        return {path: tuple(lines) for path, lines in found.items()}


def watch_lines(side: Side) -> None:
    """Puts probes into the watched files that this process imports from now on.

    Args:
        side: of the column that it runs.
    """
    _watched.update(str(file_of(side, path)) for path in side.watched)
    loader: Any = SourceFileLoader
    loader.get_code = _get_code


def _get_code(self: SourceFileLoader, fullname: str) -> CodeType | None:
    path = str(self.path)
    return probed_code(path) if path in _watched else _plain_code(self, fullname)


def probed_code(path: str) -> CodeType:
    """Compiles a file with probes in it.

    Args:
        path: as the importing side spells it, for tracebacks.

    Raises:
        OSError: the file cannot be read.
        SyntaxError: it is no Python.
    """
    source = Path(path).read_bytes()
    tree = ast.parse(source, path)
    found = list(probes(tree))
    for block, number, line in reversed(found):
        call = ast.Expr(ast.Call(ast.Name(_PROBE, ast.Load()), [], []))
        block.insert(number, ast.copy_location(call, ast.Pass(lineno=line, col_offset=0)))
    tree = _ProbedExpressions().visit(tree)
    imported = ast.ImportFrom(__name__, [ast.alias("ran", _PROBE)], 0)
    put_first(tree.body, ast.copy_location(imported, ast.Pass(lineno=1, col_offset=0)))
    probed = compile(ast.fix_missing_locations(tree), path, "exec", dont_inherit=True)
    _remember(probed, compile(source, path, "exec", dont_inherit=True))
    return probed


def as_written(code: CodeType) -> CodeType:
    """The code of a function without its probes.

    Args:
        code: of any function.
    """
    return _as_written.get(code, code)


def _remember(probed: CodeType, plain: CodeType) -> None:
    _as_written[probed] = plain
    inner = [
        [each for each in code.co_consts if isinstance(each, CodeType)] for code in (probed, plain)
    ]
    for one, other in zip(*inner, strict=True):
        _remember(one, other)


class _ProbedExpressions(ast.NodeTransformer):
    """Puts a probe before each value of `a if c else b`; it is a value of its own then."""

    def visit_IfExp(self, node: ast.IfExp) -> ast.IfExp:  # as ast calls it
        """Keeps the condition as it is."""
        places = place_of(node.body), place_of(node.orelse)
        self.generic_visit(node)
        node.body, node.orelse = map(_probed, (node.body, node.orelse), places)
        return node


def _probed(value: ast.expr, place: int) -> ast.expr:
    call = ast.Call(ast.Name(_PROBE, ast.Load()), [ast.Constant(place)], [])
    both = ast.Tuple([call, value], ast.Load())
    made = ast.Subscript(both, ast.Constant(1), ast.Load())
    for node in (call, call.func, call.args[0], both, made, made.slice):
        ast.copy_location(node, value)
    return made


def probes(tree: ast.AST) -> Iterator[tuple[list[ast.stmt], int, int]]:
    """The blocks of which a case tells that it ran them.

    Args:
        tree: of a file.

    Yields:
        A block, the place in it where a probe is put, and the line that stands for it.
    """
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            number = next((n for n, each in enumerate(node.body) if not comes_first(each)), None)
            at = len(node.body) if number is None else number
            yield node.body, at, first_line(node.body[-1 if number is None else number :])
        elif isinstance(node, ast.If):
            yield from (
                (block, 0, first_line(block)) for block in (node.body, node.orelse) if block
            )
        elif isinstance(node, ast.Match):
            yield from ((case.body, 0, first_line(case.body)) for case in node.cases)
