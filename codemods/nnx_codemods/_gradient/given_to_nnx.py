"""Objects that functions of nnx get, in code that always runs where they are differentiated.

`nnx.state(model, nnx.Param)`, `nnx.split(model, nnx.Param, ...)` and `nnx.update(model, state)`
take objects of nnx, and containers of them. What is called in the loss, too, is no container.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from nnx_migrate.analysis.domain.values import ClassValue
from nnx_migrate.analysis.sites.tree import FunctionNode
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.style.layout import is_hoistable

_SIMPLE = ast.Assign | ast.AnnAssign | ast.Expr | ast.Return


def is_given_to_nnx(context: FileContext, use: ast.Call, index: int) -> bool:
    """Whether what a call passes at a place also goes to such a function, by the same name.

    Args:
        use: the call of a gradient function.
        index: the place of the differentiated argument.
    """
    if len(use.args) <= index or any(isinstance(each, ast.Starred) for each in use.args):
        return False
    given = use.args[index]
    if not isinstance(given, ast.Name):
        return False
    if len(context.project.bindings(context.tree.scope(given), given.id)) != 1:
        return False
    return any(_takes(context, call, given.id) for call in _always_run(context, use))


def _always_run(context: FileContext, use: ast.Call) -> Iterator[ast.Call]:
    """The calls of the function around a call that run whenever that does."""
    child: ast.AST = use
    for parent in context.tree.ancestors(use):
        for block in (getattr(parent, name, ()) for name in ("body", "orelse", "finalbody")):
            if not isinstance(block, list) or child not in block:
                continue
            for statement in block:
                calls = ast.walk(statement) if isinstance(statement, _SIMPLE) else ()
                for node in calls:
                    if isinstance(node, ast.Call) and is_hoistable(context, node):
                        yield node
        if isinstance(parent, FunctionNode):
            return
        child = parent


def _takes(context: FileContext, call: ast.Call, name: str) -> bool:
    match call:
        case ast.Call(func=func, args=[ast.Name(id=taken), *others]) if taken == name and others:
            called = context.tree.nnx_name(func)
            by_type = called in {"state", "split"} and _is_variable(context, others[0])
            return by_type or called == "update"
        case _:
            return False


def _is_variable(context: FileContext, filter: ast.expr) -> bool:
    values = context.values(filter)
    return bool(values) and all(
        isinstance(value, ClassValue)
        and context.evaluator.hierarchy.kind(value.class_name) == "variable"
        for value in values
    )
