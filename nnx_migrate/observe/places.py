"""Finds the statements of functions that apply a transform, and puts what tells of them first."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from nnx_migrate.observe.changing import bodies

_Function = ast.FunctionDef | ast.AsyncFunctionDef
#: The lines that a statement begins and ends on; of one with a body, those before that.
Lines = tuple[int, int]


def told_of_places(
    function: _Function, names: frozenset[str], told: Callable[[Lines, ast.stmt], ast.stmt]
) -> None:
    """Puts a statement in front of each that names a transform.

    Args:
        function: it is changed.
        names: of transforms.
        told: makes the statement to put in front of one.
    """
    for body, statement in list(_statements(function.body)):
        if any(map(names.intersection, map(_names, _own_expressions(statement)))):
            at = next(number for number, each in enumerate(body) if each is statement)
            body.insert(at, told(_lines(statement), statement))


def _statements(body: list[ast.stmt]) -> Iterator[tuple[list[ast.stmt], ast.stmt]]:
    """The statements of a function, with the list that each stands in."""
    for statement in body:
        if isinstance(statement, _Function | ast.ClassDef):
            continue
        yield body, statement
        for inner in bodies(statement):
            yield from _statements(inner)


def _own_expressions(statement: ast.stmt) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(statement):
        if not isinstance(child, ast.stmt | ast.excepthandler | ast.match_case):
            yield child


def _names(expression: ast.AST) -> set[str]:
    nodes = list(ast.walk(expression))
    attributes = {each.attr for each in nodes if isinstance(each, ast.Attribute)}
    return attributes | {each.id for each in nodes if isinstance(each, ast.Name)}


def _lines(statement: ast.stmt) -> Lines:
    inner = next(bodies(statement), None)
    last = (statement.end_lineno or statement.lineno) if inner is None else inner[0].lineno - 1
    return statement.lineno, max(last, statement.lineno)
