"""Whether a function does nothing with an object but read the values of its Variables."""

from __future__ import annotations

import ast

from nnx_migrate.analysis.domain.values import Instance, Scope
from nnx_migrate.analysis.flax.names import layer_of
from nnx_migrate.rewrite.model.context import FileContext

#: Attributes of a Variable that give its array, or describe it.
_READING = frozenset({"value", "shape", "dtype", "ndim", "size", "T"})
_OF_ARRAYS = ("jax.numpy.", "jax.nn.", "jax.lax.", "numpy.")


def only_reads_values(context: FileContext, scope: Scope, name: str) -> bool:
    """Whether each use of a parameter leads to a Variable, of which the value alone is read.

    `x + stats.mean` and `model.norm.mean[...]`; no call of the object or of its parts, which may
    update counts, keys, and statistics, and nothing that could give the object another name.
    """
    definition = context.tree.functions.get(scope.function)
    if scope.module != context.tree.module or definition is None:
        return False
    used = [node for node in ast.walk(definition) if isinstance(node, ast.Name) and node.id == name]
    return bool(used) and all(_leads_to_value(context, node) for node in used)


def _leads_to_value(context: FileContext, node: ast.expr) -> bool:
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        return False
    while not _is_variable(context, node):
        parent = context.tree.parents.get(node)
        if not isinstance(parent, ast.Attribute) or not isinstance(parent.ctx, ast.Load):
            return False
        node = parent
    return _is_read(context, node)


def _is_variable(context: FileContext, node: ast.expr) -> bool:
    """Whether it is a Variable of a class of Flax: others may say what operators do with them."""
    kind = context.evaluator.hierarchy.kind
    values = context.values(node)
    return bool(values) and all(
        isinstance(value, Instance)
        and layer_of(value.class_name) is not None
        and kind(value.class_name) == "variable"
        for value in values
    )


def _is_read(context: FileContext, variable: ast.expr) -> bool:
    match context.tree.parents.get(variable):
        case ast.BinOp() | ast.UnaryOp() | ast.Compare(ops=[ast.Lt() | ast.Gt() | ast.Eq()]):
            return True
        case ast.Subscript(value=value, ctx=ast.Load()):
            return value is variable
        case ast.Attribute(attr=attr, ctx=ast.Load()) if attr in _READING:
            return True
        case ast.Call(func=func, args=args) if variable in args:
            dotted = context.tree.dotted(func)
            return dotted is not None and dotted.startswith(_OF_ARRAYS)
        case _:
            return False
