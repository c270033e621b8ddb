"""Which of several bindings of a name reaches a place in the body of a module or of a function.

Notebooks bind the same names in cell after cell, tests in one block after the other. A function
runs at times that are not known here: for it a name of the body around it means all that this is
ever bound to, but for the function that was defined last, where the name is not bound again.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import itertools
from collections.abc import Iterator, Mapping, Sequence

from nnx_migrate.analysis.domain.values import Located, ParameterOf, Scope
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.ir.lowering.expressions import lower_expr
from nnx_migrate.analysis.ir.lowering.syntax_names import function_key
from nnx_migrate.analysis.sites.assigned_in_order import last_before
from nnx_migrate.analysis.sites.tree import AnyFunction, Tree
from nnx_migrate.analysis.symbols.program import Binding
from nnx_migrate.sources.imports.scan import translated

_LOOPS = ast.For | ast.AsyncFor | ast.While


class Reaching:
    """The statements that bind names in one module, in the order in which they run."""

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
        if len(bindings) < 2:
            return None
        if scope.function != ir.MODULE_SCOPE:
            return self._last_in_function(read, node.id, bindings)
        bound = self._bound.get(node.id, [])
        if len(bound) != len(bindings):
            return None  # some other statement binds it too
        *_, statement = (a for a in (read, *self.tree.ancestors(read)) if isinstance(a, ast.stmt))
        before = [each for each in bound if each[0] < self._places[statement]]
        return before[-1] if before else None

    def _last_in_function(
        self, read: ast.expr, name: str, bindings: Sequence[Binding]
    ) -> tuple[int, ir.Expr | ast.expr] | None:
        """The same in the body of a function.

        A function that reads the name of one around it finds the definition that stands in front of
        it, where nothing binds the name further down, and no loop runs what is above again.
        """
        located = [each for each in bindings if isinstance(each, Located)]
        around = {each.scope for each in located}
        parameters = all(isinstance(each, ParameterOf | Located) for each in bindings)
        if len(around) != 1 or not parameters or _is_of_comprehension(self.tree, read, name):
            return None
        (scope,) = around
        found = self._bound_in(scope).get(name, {})
        if scope.function == ir.MODULE_SCOPE or len(found) != len(located):
            return None
        if self.tree.scope(read) == scope:
            last = last_before(self.tree, read, found)
            return None if last is None else (last.lineno, found[last])
        inner = [f for f in self.tree.ancestors(read) if isinstance(f, AnyFunction)]
        (place,) = [f for f in inner if self.tree.scope(f) == scope]
        last = last_before(self.tree, place, found)
        if last is None or any(each.lineno > last.lineno for each in found):
            return None
        loops = any(isinstance(each, _LOOPS) for each in self._within(last))
        value = found[last]
        lowered = lower_expr(value) if isinstance(value, ast.expr) else value
        shown = isinstance(lowered, ir.FunctionRef | ir.ClassRef) and not loops
        return (last.lineno, lowered) if shown else None

    def _within(self, node: ast.AST) -> Iterator[ast.AST]:
        """What stands around a node in its function."""
        return itertools.takewhile(
            lambda each: not isinstance(each, AnyFunction), self.tree.ancestors(node)
        )

    def _bound_in(self, scope: Scope) -> Mapping[str, Mapping[ast.stmt, ir.Expr | ast.expr]]:
        """Name -> the statements of a function that bind it, with what each binds it to."""
        return self._in_functions.get(scope, {})

    @functools.cached_property
    def _in_functions(self) -> Mapping[Scope, Mapping[str, dict[ast.stmt, ir.Expr | ast.expr]]]:
        found: dict[Scope, dict[str, dict[ast.stmt, ir.Expr | ast.expr]]] = {}
        meant = dict(self.tree.project.modules[self.tree.module].meant)
        for node in self.tree.nodes:
            if not isinstance(node, ast.stmt) or self.tree.function_around(node) is None:
                continue
            if isinstance(self.tree.parents.get(node), ast.ClassDef):
                continue
            names = found.setdefault(self.tree.scope(node), {})
            for name, value in _binding(node, meant):
                names.setdefault(name, {})[node] = value
        return found


def _is_of_comprehension(tree: Tree, read: ast.expr, name: str) -> bool:
    """Whether a name that is read may be the variable of a comprehension."""
    return any(
        isinstance(target, ast.Name) and target.id == name
        for around in itertools.takewhile(
            lambda each: not isinstance(each, ast.stmt), tree.ancestors(read)
        )
        if isinstance(around, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp)
        for generator in around.generators
        for target in ast.walk(generator.target)
    )


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
