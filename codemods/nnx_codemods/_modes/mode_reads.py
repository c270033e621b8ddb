"""Code that may tell whether the mode of an object is set yet."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from nnx_migrate.analysis.domain.values import (
    ARRAY,
    PLAIN,
    Instance,
    LibraryValue,
    Scope,
    TupleValue,
    Value,
    Values,
)
from nnx_migrate.rewrite.model.context import FileContext

#: Libraries that look at nothing but what they are given.
_OF_ARRAYS = ("jax.", "numpy.")
_RUNS_OTHERS = (
    ast.Await
    | ast.Yield
    | ast.YieldFrom
    | ast.NamedExpr
    | ast.JoinedStr
    | ast.ListComp
    | ast.SetComp
    | ast.DictComp
    | ast.Starred
)


def may_tell(context: FileContext, code: ast.AST, names: frozenset[str]) -> bool:
    """Whether code may do something else when these attributes of some object are set already.

    Args:
        code: an expression, or a statement; functions that are defined in it do not run there.
    """
    return any(_tells(context, node, names) for node in _evaluated(code))


def _evaluated(code: ast.AST) -> Iterator[ast.AST]:
    todo = [code]
    while todo:
        node = todo.pop()
        yield node
        if not isinstance(node, ast.Lambda | ast.FunctionDef):
            todo += ast.iter_child_nodes(node)


def _tells(context: FileContext, node: ast.AST, names: frozenset[str]) -> bool:
    match node:
        case ast.Call():
            return not _is_of_arrays(context, node)
        case ast.Attribute(value=base, attr=name, ctx=ast.Load()):
            values = context.values(base)
            return (
                name in names
                or not values
                or any(runs_code(context, value, name) for value in values)
            )
        case (
            ast.Attribute(ctx=ast.Store() | ast.Del()) | ast.Subscript(ctx=ast.Store() | ast.Del())
        ):
            return True  # it may set the same
        case ast.Subscript(value=base):
            return any(_is_own(context, value, "__getitem__") for value in context.values(base))
        case _:
            return isinstance(node, _RUNS_OTHERS)


def runs_code(context: FileContext, value: Value, name: str) -> bool:
    """Whether to look up an attribute may run code of the project: a property, say."""
    if isinstance(value, Instance):
        hierarchy = context.evaluator.hierarchy
        return any(
            not hierarchy.ancestry(each).closed
            or any(isinstance(hierarchy.method(each, m), Scope) for m in (name, "__getattr__"))
            for each in hierarchy.classes_of(value)
        )
    return value not in ARRAY | PLAIN and not isinstance(value, LibraryValue)


def _is_own(context: FileContext, value: Value, method: str) -> bool:
    hierarchy = context.evaluator.hierarchy
    return isinstance(value, Instance) and any(
        isinstance(hierarchy.method(each, method), Scope) for each in hierarchy.classes_of(value)
    )


def _is_of_arrays(context: FileContext, call: ast.Call) -> bool:
    """Whether it is a call of a library, or of a method of an array, with arrays and numbers."""
    given = [*call.args, *(keyword.value for keyword in call.keywords)]
    return _is_array_code(context, call.func) and all(_is_plain(context, each) for each in given)


def _is_array_code(context: FileContext, called: ast.expr) -> bool:
    values = context.values(called)
    if values and all(isinstance(v, LibraryValue) for v in values):
        return all(isinstance(v, LibraryValue) and v.dotted.startswith(_OF_ARRAYS) for v in values)
    return isinstance(called, ast.Attribute) and _are_plain(context.values(called.value))


def _is_plain(context: FileContext, expression: ast.expr) -> bool:
    if isinstance(expression, ast.List | ast.Tuple):
        return all(_is_plain(context, each) for each in expression.elts)
    return _are_plain(context.values(expression))


def _are_plain(values: Values) -> bool:
    return bool(values) and all(
        all(_are_plain(each) for each in value.elements)
        if isinstance(value, TupleValue)
        else value in ARRAY | PLAIN
        for value in values
    )
