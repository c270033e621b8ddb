"""All calls of a name that a statement binds, in its file and in those that import it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from nnx_codemods._sown.pops.forward_calls import NotCaptured
from nnx_migrate.analysis.domain.values import FunctionValue, Scope, is_unknown
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.symbols.visibility import is_visible_outside
from nnx_migrate.core.place import Place
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.ownership import calls_by_name

#: A call, and the file that it stands in.
Located = tuple[FileContext, ast.Call]


def known_calls(context: FileContext, place: ast.stmt, name: str) -> tuple[ast.Call, ...]:
    """All calls of what `name` is bound to by a statement, where all of them are in its file.

    Raises:
        NotRewritten: others may call it, or it is more than called.
    """
    calls = tuple(calls_by_name(context, context.tree.scope(place), name))
    if context.tree.scope(place).function == ir.MODULE_SCOPE:
        check_private(context, name)
    if not calls:
        raise NotCaptured(f"{name} is not called in this file")
    return calls


def all_calls(context: FileContext, place: ast.stmt, name: str) -> tuple[Located, ...]:
    """All calls of what `name` is bound to, in the files that import it too.

    Raises:
        NotRewritten: others may call it, or it is more than called.
    """
    scope = context.tree.scope(place)
    calls: list[Located] = [(context, use) for use in calls_by_name(context, scope, name)]
    if scope.function == ir.MODULE_SCOPE:
        _check_hidden(context, name)
        scopes = _scopes_of(context, place, name)
        for other in context.analysis.imports.importers(context.tree.module, (name,)):
            there = context.at(other.module)
            if there is None:
                raise NotCaptured(f"{name} may be used in {Place(other.module)} too")
            calls += [(there, use) for use in _calls_there(there, scopes, name)]
    if not calls:
        raise NotCaptured(f"{name} is not called in this file")
    return tuple(calls)


def _scopes_of(context: FileContext, place: ast.stmt, name: str) -> frozenset[Scope]:
    """The functions that a call of the name runs."""
    values = context.evaluator.values(context.tree.scope(place), ir.Name(name))
    if not values or not all(isinstance(value, FunctionValue) for value in values):
        raise NotCaptured(f"what {name} runs is not known")
    return frozenset(value.scope for value in values if isinstance(value, FunctionValue))


def _calls_there(context: FileContext, scopes: frozenset[Scope], name: str) -> Iterator[ast.Call]:
    """The calls of a function in a file that imports it, where it is no more than called."""
    names = {name}
    for node in context.tree.nodes:
        if isinstance(node, ast.alias) and node.name == name:
            names.add(node.asname or name)
    if len(names) > 1 and any(context.analysis.imports.importers(context.tree.module)):
        raise NotCaptured(f"{context.file} gives {name} another name, and is imported itself")
    for node in context.tree.nodes:
        if isinstance(node, ast.Constant) and node.value == name:
            raise NotCaptured(f"{name} is named by a string ({context.where(node)})")
        if not isinstance(node, ast.Name | ast.Attribute):
            continue
        if not isinstance(node.ctx, ast.Load):
            if isinstance(node, ast.Attribute) and node.attr == name:
                raise NotCaptured(f"{name} is put in the place of another ({context.where(node)})")
            continue
        values = context.values(node)
        runs = {value.scope for value in values if isinstance(value, FunctionValue)}
        called = node.attr if isinstance(node, ast.Attribute) else node.id
        if not runs & scopes:
            if called in names and (not values or is_unknown(values)):
                raise NotCaptured(f"what {called} is in {context.where(node)} is not known")
            continue
        parent = context.tree.parents[node]
        if len(values) != 1 or not (isinstance(parent, ast.Call) and parent.func is node):
            raise NotCaptured(f"{name} is more than called ({context.where(node)})")
        yield parent


def _check_hidden(context: FileContext, name: str) -> None:
    """Code outside of the project must not have any way to call it."""
    if is_visible_outside(context.project, context.tree.module, name):
        raise NotCaptured(f"code outside of the project may call {name}")


def check_private(context: FileContext, name: str) -> None:
    """Code that is not to be seen must not have any way to call it.

    Raises:
        NotCaptured: it has.
    """
    _check_hidden(context, name)
    for other in context.analysis.imports.importers(context.tree.module, (name,)):
        raise NotCaptured(f"{name} may be used in {Place(other.module)} too")
