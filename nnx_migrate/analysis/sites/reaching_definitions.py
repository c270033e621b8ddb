"""Which of several bindings of a name reaches a place in the body of a module, run from its top.

Notebooks bind the same names in cell after cell. Functions are run at times that are not known
here: for them a name means all that it is ever bound to.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
from collections.abc import Iterator, Mapping

from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.ir.lowering.expressions import lower_expr
from nnx_migrate.analysis.ir.lowering.syntax_names import function_key
from nnx_migrate.analysis.sites.tree import Tree
from nnx_migrate.sources.imports.scan import translated


class Reaching:
    """The statements of one module's body that bind names, in the order in which they run."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree

    @functools.cached_property
    def _bound(self) -> dict[str, list[tuple[int, ir.Expr | ast.expr]]]:
        """Name -> the places of the statements that bind it, with what each binds it to."""
        found: dict[str, list[tuple[int, ir.Expr | ast.expr]]] = {}
        meant = dict(self.tree.project.modules[self.tree.module].meant)
        for place, statement in enumerate(self.tree.root.body):
            for name, value in _binding(statement, meant):
                found.setdefault(name, []).append((place, value))
        return found

    @functools.cached_property
    def _places(self) -> dict[ast.stmt, int]:
        return {statement: place for place, statement in enumerate(self.tree.root.body)}

    def lowered(self, node: ast.expr) -> ir.Expr:
        """An expression; for a name in the module's body what it is bound to there, if seen.

        Of a call, so is the name that is called.
        """
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            call = lower_expr(node)
            if not isinstance(call, ir.Call) or call.func != lower_expr(node.func):
                return call
            return dataclasses.replace(call, func=self.lowered(node.func))
        if not isinstance(node, ast.Name):
            return lower_expr(node)
        last = self._last(node)
        if last is None or last[1] == ir.UNSEEN:
            return lower_expr(node)
        return self.lowered(last[1]) if isinstance(last[1], ast.expr) else last[1]

    def expression(self, node: ast.Name) -> ast.expr | None:
        """What a name in the module's body, bound there several times, is bound to at its place."""
        last = self._last(node)
        return last[1] if last is not None and isinstance(last[1], ast.expr) else None

    def is_unchanged(self, node: ast.Name, place: ast.expr) -> bool:
        """Whether a name that is bound several times means the same in another expression."""
        last = self._last(node)
        return last is not None and last == self._last(node, place)

    def _last(
        self, node: ast.Name, place: ast.expr | None = None
    ) -> tuple[int, ir.Expr | ast.expr] | None:
        """The last statement of the module's body that binds a name before it is read there.

        Args:
            place: another expression than the name, in which it is read.
        """
        read = node if place is None else place
        scope = self.tree.scope(read)
        bindings = self.tree.project.bindings(scope, node.id)
        if scope.function != ir.MODULE_SCOPE or len(bindings) < 2:
            return None
        bound = self._bound.get(node.id, [])
        if len(bound) != len(bindings):
            return None  # some other statement binds it too
        *_, statement = (a for a in (read, *self.tree.ancestors(read)) if isinstance(a, ast.stmt))
        before = [each for each in bound if each[0] < self._places[statement]]
        return before[-1] if before else None


def _binding(
    statement: ast.stmt, meant: Mapping[str, str]
) -> Iterator[tuple[str, ir.Expr | ast.expr]]:
    """The names that a statement binds, and to what; UNSEEN where that is no expression."""
    match statement:
        case ast.Assign(targets=targets, value=value):
            yield from ((each.id, value) for each in targets if isinstance(each, ast.Name))
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
            yield name, value
        case ast.AugAssign(target=ast.Name(id=name)):
            yield name, ir.UNSEEN
        case ast.ClassDef(name=name, lineno=line):
            yield name, ir.ClassRef(f"{name}:{line}")
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            yield name, ir.FunctionRef(function_key(statement))
        case ast.ImportFrom(module=str(module), names=names, level=0):
            source = translated(module, meant)
            for alias in names:
                yield alias.asname or alias.name, ir.ImportRef(f"{source}.{alias.name}")
