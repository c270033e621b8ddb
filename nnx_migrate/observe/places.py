"""Finds what of a file applies transforms, and makes it tell that it runs.

That is a statement; and within one, what runs only sometimes: `jit(f) if fast else f`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator

from nnx_migrate.observe.attribute_writes import bodies
from nnx_migrate.observe.ends import place_of
from nnx_migrate.observe.functions import Definition

#: The lines that something begins and ends on, and its columns; of a statement with a body, what
#: comes before that.
Span = tuple[int, int, int, int]
#: Makes what tells that something in this place runs. It counts as false.
Told = Callable[[Span, ast.stmt | ast.expr], ast.expr]
_Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


def told_of_places(body: list[ast.stmt], names: frozenset[str], told: Told) -> None:
    """Makes what names a transform tell that it runs.

    Args:
        body: of a file or a function; it is changed. Functions in it have bodies of their own.
        names: of transforms.
        told: makes what tells of one.
    """
    sometimes = _Sometimes(names, told)
    for around, statement in list(_statements(body)):
        own = list(_own_expressions(statement))
        if not any(_has(each, names) for each in own):
            continue
        tells = told(_span_of(statement), statement)
        at = next(number for number, each in enumerate(around) if each is statement)
        around.insert(at, ast.copy_location(ast.Expr(tells), statement))
        for each in own:
            sometimes.visit(each)


def _statements(body: list[ast.stmt]) -> Iterator[tuple[list[ast.stmt], ast.stmt]]:
    """The statements of a function or a file, with the list that each stands in."""
    for statement in body:
        if isinstance(statement, Definition):
            continue
        if not isinstance(statement, ast.ClassDef):
            yield body, statement
        for inner in bodies(statement):
            yield from _statements(inner)


def _own_expressions(statement: ast.stmt) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(statement):
        if not isinstance(child, ast.stmt | ast.excepthandler | ast.match_case):
            yield child


def _has(expression: ast.AST, names: frozenset[str]) -> bool:
    """Whether one of some names is in it, as a name or as an attribute."""
    return any(
        getattr(each, "attr", None) in names or getattr(each, "id", None) in names
        for each in ast.walk(expression)
    )


def _span_of(statement: ast.stmt) -> Span:
    inner = next(bodies(statement), None)
    last = (statement.end_lineno or statement.lineno) if inner is None else inner[0].lineno - 1
    return statement.lineno, 0, max(last, statement.lineno), 0


class _Sometimes(ast.NodeTransformer):
    """Changes the parts of an expression that name a transform, and do not run whenever it does.

    Args:
        names: of transforms.
        told: makes what tells that one runs.
    """

    def __init__(self, names: frozenset[str], told: Told) -> None:
        self._names = names
        self._told = told

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        self.generic_visit(node)
        node.body, node.orelse = self._telling(node.body), self._telling(node.orelse)
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        self.generic_visit(node)
        node.values[1:] = map(self._telling, node.values[1:])
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        self.generic_visit(node)
        node.body = self._telling(node.body)
        return node

    def visit_DictComp(self, node: ast.DictComp) -> ast.AST:
        self.generic_visit(node)
        node.key, node.value = self._telling(node.key), self._telling(node.value)
        return self._rest(node)

    def _each(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp) -> ast.AST:
        self.generic_visit(node)
        node.elt = self._telling(node.elt)
        return self._rest(node)

    visit_ListComp = visit_SetComp = visit_GeneratorExp = _each

    def _rest(self, node: _Comprehension) -> ast.AST:
        """Its conditions, and what it goes through for each of something else."""
        for each in node.generators:
            each.ifs[:] = self._all_telling(each.ifs)
        for each in node.generators[1:]:
            each.iter = self._telling(each.iter)
        return node

    def _all_telling(self, expressions: Iterable[ast.expr]) -> Iterator[ast.expr]:
        yield from map(self._telling, list(expressions))

    def _telling(self, node: ast.expr) -> ast.expr:
        if not _has(node, self._names):
            return node
        at = place_of(node)
        span = at["lineno"], at["col_offset"], at["end_lineno"], at["end_col_offset"]
        return ast.copy_location(ast.BoolOp(ast.Or(), [self._told(span, node), node]), node)
