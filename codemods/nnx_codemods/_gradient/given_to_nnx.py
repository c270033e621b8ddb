"""Objects that nnx gets, or that have a mode, in code that always runs where they are
differentiated.

`nnx.state(model, nnx.Param)`, `nnx.split(model, nnx.Param, ...)` and `nnx.update(model, state)`
take objects of nnx, and containers of them. What is called in the loss, too, is no container.
`model.train()` and `model.eval()` are methods of every Module, and of no State, container or array.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from nnx_codemods._freshness.optimizer_alias import by_parameter
from nnx_migrate.analysis.domain.values import ClassValue, ParameterOf, Scope
from nnx_migrate.analysis.sites.tree import FunctionNode
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.ownership import direct_calls
from nnx_migrate.rewrite.style.layout import is_hoistable

_SIMPLE = ast.Assign | ast.AnnAssign | ast.Expr | ast.Return


def is_given_to_nnx(context: FileContext, use: ast.Call, index: int) -> bool:
    """Whether what a call passes at a place also goes to such a function, by the same name.

    Args:
        use: the call of a gradient function.
        index: the place of the differentiated argument.
    """
    return any(_takes(context, call, name) for call, name in _beside(context, use, index))


def has_mode_set(context: FileContext, use: ast.Call, index: int) -> bool:
    """Whether what a call passes at a place is also set to `train()` or `eval()`, by the same name.

    A function's own parameter is, where all its callers do that.

    Args:
        use: the call of a gradient function.
        index: the place of the differentiated argument.
    """
    if any(_sets_mode(context, call, name) for call, name in _beside(context, use, index)):
        return True
    given = dict(enumerate(use.args)).get(index)
    return given is not None and _is_set_by_callers(context, use, given, frozenset())


def _is_set_by_callers(
    context: FileContext, use: ast.Call, given: ast.expr, inside: frozenset[ast.AST]
) -> bool:
    """Whether it is a parameter that all calls in sight pass what they set to a mode."""
    function = context.tree.function_around(use)
    if not isinstance(given, ast.Name) or not isinstance(function, ast.FunctionDef):
        return False
    match context.project.bindings(context.tree.scope(given), given.id):
        case [ParameterOf(scope=scope)] if scope == context.tree.scope_of(function):
            pass
        case _:
            return False
    calls = direct_calls(context, function, decorated=True)
    if not calls or function in inside:
        return False
    for call in calls:
        passed = (by_parameter(call, function.args) or {}).get(given.id)
        if not isinstance(passed, ast.Name):
            return False
        bound = len(context.project.bindings(context.tree.scope(passed), passed.id)) == 1
        beside = _always_run(context, call) if bound else ()
        set_here = any(_sets_mode(context, each, passed.id) for each in beside)
        if not set_here and not _is_set_by_callers(context, call, passed, inside | {function}):
            return False
    return True


def _beside(context: FileContext, use: ast.Call, index: int) -> Iterator[tuple[ast.Call, str]]:
    """The calls that always run with a call, each with the name of what that passes at a place."""
    if len(use.args) <= index or any(isinstance(each, ast.Starred) for each in use.args):
        return
    given = use.args[index]
    if not isinstance(given, ast.Name):
        return
    if len(context.project.bindings(context.tree.scope(given), given.id)) != 1:
        return
    for call in _always_run(context, use):
        yield call, given.id


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


def _sets_mode(context: FileContext, call: ast.Call, name: str) -> bool:
    match call:
        case ast.Call(
            func=ast.Attribute(value=ast.Name(id=held), attr="train" | "eval" as method),
            args=[],
            keywords=[],
        ) if held == name:
            return _only_objects_have(context, method)
        case _:
            return False


def _only_objects_have(context: FileContext, method: str) -> bool:
    """Whether no other class of the project whose objects jax looks into has such a method."""
    hierarchy = context.evaluator.hierarchy
    for class_name in hierarchy.all_classes:
        if not isinstance(hierarchy.method(class_name, method), Scope):
            continue
        kind = hierarchy.kind(class_name)
        if kind is None or (kind == "plain" and hierarchy.is_tree(class_name)):
            return False
    return True


def _is_variable(context: FileContext, filter: ast.expr) -> bool:
    values = context.values(filter)
    return bool(values) and all(
        isinstance(value, ClassValue)
        and context.evaluator.hierarchy.kind(value.class_name) == "variable"
        for value in values
    )
