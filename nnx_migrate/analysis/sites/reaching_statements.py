"""Which statement of the file at hand binds a name where it is read.

`symbols/reaching_definitions.py` says which binding it is; this finds it in the syntax tree. Where
several may, there is none.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import itertools
from collections.abc import Iterator, Mapping, Sequence

from nnx_migrate.analysis.domain.values import Located
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.ir.lowering.expressions import lower_expr
from nnx_migrate.analysis.ir.lowering.syntax_names import function_key
from nnx_migrate.analysis.sites.tree import AnyFunction, Tree
from nnx_migrate.analysis.symbols.reaching_definitions import at_position, reaching, seen_from
from nnx_migrate.sources.bound_names import binds
from nnx_migrate.sources.imports.scan import translated

_COMPREHENSIONS = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


class ReachingStatements:
    """The statements of one file that bind names, by the places where these are read."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree

    def lowered(self, node: ast.expr) -> ir.Expr:
        """An expression; for a name that is bound several times, what it is bound to at its place.

        Of a call, so is the name that is called.
        """
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            call = lower_expr(node)
            if not isinstance(call, ir.Call) or call.func != lower_expr(node.func):
                return call
            return dataclasses.replace(call, func=self.lowered(node.func))
        value = self._value(node) if isinstance(node, ast.Name) else None
        if value is None:
            return lower_expr(node)
        return self.lowered(value) if isinstance(value, ast.expr) else value

    def expression(self, node: ast.Name) -> ast.expr | None:
        """What a name that is bound several times is bound to at its place."""
        value = self._value(node)
        return value if isinstance(value, ast.expr) else None

    def is_unchanged(self, node: ast.AST, place: ast.expr) -> bool:
        """Whether a name that is bound several times means the same in another expression."""
        if not isinstance(node, ast.Name):
            return False
        statement = self.statement(node)
        return statement is not None and statement is self.statement(node, place)

    def reads_of(self, assignment: ast.Assign, loads: Sequence[ast.Name]) -> list[ast.Name] | None:
        """Those of the places that read a name at which it stands for an assignment.

        Args:
            loads: all that read it.

        Returns:
            None where it cannot be told of each place which statement it means.
        """
        meant = {load: self.statement(load) for load in loads}
        if None in meant.values():
            return None
        return [load for load in loads if meant[load] is assignment]

    def statement(self, name: ast.Name, place: ast.expr | None = None) -> ast.stmt | None:
        """The statement that has bound a name where it is read, of several in the same function.

        Args:
            place: another expression than the name, in which it is read.
        """
        read = name if place is None else place
        scope = self.tree.scope(read)
        definitions = self.tree.project.function(scope).definitions.get(name.id, ())
        bindings = self.tree.project.bindings(scope, name.id) if definitions else []
        own = [isinstance(each, Located) for each in bindings if each.scope == scope]
        if len(own) != len(bindings) or sum(own) != len(definitions):
            return None  # other functions bind it, or another file
        if self._is_of_block(read, name.id):
            return None
        only = reaching(definitions, at_position(*self._place(read))).only
        return None if only is None else self._statements.get(definitions[only].first)

    def _place(self, read: ast.AST) -> ir.Position:
        """The beginning of the statement, or the part of one, that an expression stands in."""
        for around in (read, *self.tree.ancestors(read)):
            match around:
                case ast.stmt() | ast.ExceptHandler():
                    return around.lineno, around.col_offset
                case ast.match_case(pattern=pattern):
                    return pattern.end_lineno or 0, pattern.end_col_offset or 0
        raise AssertionError("an expression stands in a statement")

    def _is_of_block(self, read: ast.expr, name: str) -> bool:
        """Whether a name that is read may be one of a comprehension, or of the body of a class."""
        around = itertools.takewhile(
            lambda each: not isinstance(each, AnyFunction), self.tree.ancestors(read)
        )
        return any(
            binds(node, {name})
            for each in around
            if isinstance(each, _COMPREHENSIONS | ast.ClassDef)
            for part in (each.body if isinstance(each, ast.ClassDef) else each.generators)
            for node in ast.walk(part)
        )

    @functools.cached_property
    def _statements(self) -> Mapping[ir.Position, ast.stmt]:
        """Each statement by its place."""
        found = (node for node in self.tree.nodes if isinstance(node, ast.stmt))
        return {(each.lineno, each.col_offset): each for each in found}

    def _value(self, name: ast.Name) -> ir.Expr | ast.expr | None:
        """What a name is bound to where it is read, of several things."""
        statement = self.statement(name)
        if statement is None:
            return self._function_around(name)
        return self._bound_by(statement, name.id)

    def _bound_by(self, statement: ast.stmt, name: str) -> ir.Expr | ast.expr | None:
        meant = dict(self.tree.project.modules[self.tree.module].meant)
        return dict(_binding(statement, meant)).get(name)

    def _function_around(self, name: ast.Name) -> ir.Expr | None:
        """The one function or class that a name of a function around is for a function inside."""
        here = self.tree.scope(name)
        bindings = self.tree.project.bindings(here, name.id)
        scopes = {each.scope for each in bindings}
        if len(scopes) != 1 or here in scopes or self._is_of_block(name, name.id):
            return None
        (scope,) = scopes
        definitions = self.tree.project.function(scope).definitions.get(name.id, ())
        located = sum(isinstance(each, Located) for each in bindings)
        if scope.function == ir.MODULE_SCOPE or located != len(definitions):
            return None
        functions = (f for f in self.tree.ancestors(name) if isinstance(f, AnyFunction))
        place = next(each for each in functions if self.tree.scope(each) == scope)
        match seen_from(definitions, at_position(*self._place(place))):
            case [only]:
                value = self._bound_by(self._statements[definitions[only].first], name.id)
                lowered = lower_expr(value) if isinstance(value, ast.expr) else value
                return lowered if isinstance(lowered, ir.FunctionRef | ir.ClassRef) else None
        return None


def _binding(
    statement: ast.stmt, meant: Mapping[str, str]
) -> Iterator[tuple[str, ir.Expr | ast.expr]]:
    """The names that a statement binds, and to what, where that is an expression."""
    match statement:
        case ast.Assign(targets=targets, value=value):
            yield from ((each.id, value) for each in targets if isinstance(each, ast.Name))
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
            yield name, value
        case ast.ClassDef(name=name, lineno=line):
            yield name, ir.ClassRef(f"{name}:{line}")
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            yield name, ir.FunctionRef(function_key(statement))
        case ast.ImportFrom(module=str(module), names=names, level=0):
            source = translated(module, meant)
            for alias in names:
                yield alias.asname or alias.name, ir.ImportRef(f"{source}.{alias.name}")
