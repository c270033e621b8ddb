"""A syntax tree with its parents and scopes, and the nnx transforms applied in it."""

from __future__ import annotations

import ast
import collections
import functools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar

from nnx_migrate.analysis.domain.values import Located, Scope
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.ir.lowering.expressions import lower_expr
from nnx_migrate.analysis.ir.lowering.literal_lookups import lookup, named_by_string
from nnx_migrate.analysis.ir.lowering.syntax_names import function_key
from nnx_migrate.analysis.ir.parse import LEAVES, children
from nnx_migrate.analysis.symbols.program import Project

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
AnyFunction = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
Node = TypeVar("Node", bound=ast.AST)
_FUNCTIONS = ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda


class Tree:
    """One file's syntax tree: parents, scopes and names of every node.

    Args:
        root: the parsed file.
        module: its dotted module name in `project`.
    """

    def __init__(self, root: ast.Module, module: str, project: Project) -> None:
        self.root = root
        self.module = module
        self.project = project
        self.parents: dict[ast.AST, ast.AST] = {}
        self.functions: dict[str, AnyFunction] = {}
        self._by_kind: dict[type[ast.AST], list[Any]] = collections.defaultdict(list)
        self._around: dict[ast.AST, AnyFunction | None] = {root: None}
        self.nodes: list[ast.AST] = [root]
        for node in self.nodes:  # grows while it is walked
            self._by_kind[node.__class__].append(node)
            if node.__class__ in LEAVES:
                continue
            below = children(node)
            for child in below:
                self.parents[child] = node
            self.nodes += below
            if isinstance(node, _FUNCTIONS):
                self.functions[function_key(node)] = node

    def of_kind(self, kind: type[Node]) -> Sequence[Node]:
        """All nodes of one class, those further up first."""
        return self._by_kind.get(kind, ())

    def ancestors(self, node: ast.AST) -> Iterator[ast.AST]:
        parent = self.parents.get(node)
        while parent is not None:
            yield parent
            parent = self.parents.get(parent)

    def function_around(self, node: ast.AST) -> AnyFunction | None:
        """The innermost function whose body holds `node`; decorators and defaults are outside."""
        passed: list[ast.AST] = []
        child: ast.AST | None = node
        found: AnyFunction | None = None
        while child is not None and child not in self._around:
            passed.append(child)
            parent = self.parents.get(child)
            if isinstance(parent, _FUNCTIONS) and _is_body(child, parent):
                found = parent
                break
            child = parent
        else:
            found = None if child is None else self._around[child]
        self._around.update(dict.fromkeys(passed, found))
        return found

    def scope(self, node: ast.AST) -> Scope:
        function = self.function_around(node)
        return Scope(self.module, function_key(function) if function else ir.MODULE_SCOPE)

    def scope_of(self, function: AnyFunction) -> Scope:
        return Scope(self.module, function_key(function))

    def statement(self, node: ast.AST) -> ast.stmt:
        if isinstance(node, ast.stmt):
            return node
        return next(parent for parent in self.ancestors(node) if isinstance(parent, ast.stmt))

    def dotted(self, node: ast.expr) -> str | None:
        if not isinstance(node, ast.Name | ast.Attribute) and lookup(node) is None:
            return None
        return self.project.dotted(self.scope(node), lower_expr(node))

    def nnx_name(self, node: ast.expr) -> str | None:
        """The name after `nnx.` that an expression refers to, None when it is not one of nnx."""
        plain = isinstance(node, ast.Name | ast.Attribute)
        if not plain and not named_by_string(node) and lookup(node) is None:
            return None
        return self.project.nnx_name(self.scope(node), lower_expr(node))

    def block_of(self, statement: ast.stmt) -> list[ast.stmt]:
        """The list of statements that a statement stands in."""
        parent = self.parents[statement]
        for field in ("body", "orelse", "finalbody", "handlers"):
            block = getattr(parent, field, None)
            if isinstance(block, list) and statement in block:
                return block
        return [statement]

    def assigned_value(self, scope: Scope, name: str) -> tuple[ast.expr, ast.Assign] | None:
        """What `name` is bound to by its one and only assignment, if that is in this file."""
        bindings = self.project.bindings(scope, name)
        if len(bindings) != 1 or not isinstance(bindings[0], Located):
            return None
        where = bindings[0].scope
        bound = self.project.modules[where.module].functions[where.function].bindings
        if where.module != self.module or len(bound.get(name, ())) > 1:
            return None
        for node in self._assignments.get(name, ()):
            in_class = isinstance(self.parents.get(node), ast.ClassDef)
            if self.scope(node) == where and not in_class:
                return node.value, node
        return None

    def assigned_alike(self, scope: Scope, name: str) -> ast.expr | None:
        """What all assignments of `name` bind it to, where they are written alike in this file."""
        bindings = [b for b in self.project.bindings(scope, name) if isinstance(b, Located)]
        if len({each.scope for each in bindings}) != 1:
            return None
        found = [n for n in self._assignments.get(name, ()) if self.scope(n) == bindings[0].scope]
        if len(found) != len(self.project.bindings(scope, name)):
            return None
        alike = len({ast.dump(node.value) for node in found}) == 1
        return found[0].value if alike else None

    @functools.cached_property
    def _assignments(self) -> Mapping[str, Sequence[ast.Assign]]:
        """Assignments to one name alone, by that name."""
        found: dict[str, list[ast.Assign]] = collections.defaultdict(list)
        for node in self.of_kind(ast.Assign):
            match node.targets:
                case [ast.Name(id=name)]:
                    found[name].append(node)
        return found

    def class_around(self, function: AnyFunction) -> ast.ClassDef | None:
        parent = self.parents.get(function)
        return parent if isinstance(parent, ast.ClassDef) else None


def _is_body(node: ast.AST, function: AnyFunction) -> bool:
    body = function.body
    return node in body if isinstance(body, list) else node is body


def names_in(node: ast.AST) -> set[str]:
    """Every identifier that occurs in a piece of code, whatever its role."""
    found: set[str] = set()
    for child in ast.walk(node):
        match child:
            case ast.Name(id=name) | ast.arg(arg=name):
                found.add(name)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                found.add(name)
            case ast.ClassDef(name=name):
                found.add(name)
            case ast.alias(name=name, asname=asname):
                found.add(asname or name.split(".")[0])
            case ast.ExceptHandler(name=name) if name:
                found.add(name)
            case ast.Global(names=names) | ast.Nonlocal(names=names):
                found.update(names)
    return found
