"""Names that stand for objects of nnx where they are read: `if isinstance(model, nnx.Module):`."""

from __future__ import annotations

import ast

from nnx_migrate.analysis.ir.lowering.expressions import lower_expr
from nnx_migrate.analysis.sites.tree import AnyFunction
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.sources.bound_names import are_bound_in

_OBJECTS = frozenset({"module", "metric", "optimizer", "rngs"})


def is_tested_object(context: FileContext, read: ast.expr) -> bool:
    """Whether code runs only where a test found that a name is an object of nnx, and no container.

    Nothing in the arm of the test binds the name again, and no other function can.
    """
    if not isinstance(read, ast.Name):
        return False
    name = read.id
    child: ast.AST = read
    for parent in context.tree.ancestors(read):
        match parent:
            case ast.If(test=test, body=arm) if any(child is each for each in arm):
                found = _tells(context, test, name)
                if found and not any(are_bound_in(ast.walk(each), {name}) for each in arm):
                    return not _is_bound_by_others(context, name)
            case ast.IfExp(test=test, body=body) if child is body and _tells(context, test, name):
                return not _is_bound_by_others(context, name)
            case _ if isinstance(parent, AnyFunction | ast.ClassDef):
                return False  # it may run later
        child = parent
    return False


def _tells(context: FileContext, test: ast.expr, name: str) -> bool:
    """Whether a test holds for objects of nnx alone."""
    match test:
        case ast.BoolOp(op=ast.And(), values=parts):
            return any(_tells(context, each, name) for each in parts)
        case ast.Call(func=ast.Name(id="isinstance"), args=[ast.Name(id=asked), told]):
            classes = told.elts if isinstance(told, ast.Tuple) else [told]
            builtin = context.tree.dotted(test.func) in {None, "isinstance", "builtins.isinstance"}
            return builtin and asked == name and all(_is_class(context, c) for c in classes)
        case _:
            return False


def _is_class(context: FileContext, expression: ast.expr) -> bool:
    hierarchy = context.evaluator.hierarchy
    name = hierarchy.class_name(context.scope(expression), lower_expr(expression))
    return name is not None and hierarchy.kind(name) in _OBJECTS


def _is_bound_by_others(context: FileContext, name: str) -> bool:
    """Whether a function binds a name that is not its own."""
    outer = context.tree.of_kind(ast.Global), context.tree.of_kind(ast.Nonlocal)
    return any(name in each.names for each in outer[0]) or any(
        name in each.names for each in outer[1]
    )
