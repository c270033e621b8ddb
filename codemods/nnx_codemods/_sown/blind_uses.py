"""Uses of an object that see nothing of what is perturbed on it."""

from __future__ import annotations

import ast

from nnx_codemods._sown.adjacent_pop import sets_mode, updates_only
from nnx_migrate.rewrite.model.context import FileContext

_TAKING = frozenset({"state", "variables"})
#: Types of which nothing is sown.
_OTHERS = frozenset({"Param", "LoRAParam", "BatchStat", "RngState", "RngKey", "RngCount", "Cache"})


def is_blind(context: FileContext, load: ast.Name, names: frozenset[str]) -> bool:
    """Whether a use of the object sees nothing of what is sown on it."""
    parent = context.tree.parents[load]
    statement = context.tree.statement(load)
    match parent:
        case ast.Call(func=func, args=[first, *filters], keywords=keywords) if first is load:
            name = context.tree.nnx_name(func)
            types = [context.tree.nnx_name(each) in _OTHERS for each in filters]
            wrt = [context.tree.nnx_name(k.value) in _OTHERS for k in keywords if k.arg == "wrt"]
            if name == "state" and not filters and not keywords:
                return _filters_others(context, parent)
            if name in _TAKING:
                return bool(types) and all(types) and not keywords
            if name == "Optimizer":
                return wrt == [True]
            return updates_only(context, statement, load)
        case ast.Attribute():
            if sets_mode(context, context.tree.parents[parent], load):
                return True
    return _is_other_value(context, load, names)


def _filters_others(context: FileContext, state: ast.Call) -> bool:
    """`nnx.state(model).filter(nnx.Param)`, of types of which nothing is sown."""
    match _filter_of(context, state):
        case ast.Call(args=[_, *_] as args, keywords=[]):
            return all(context.tree.nnx_name(each) in _OTHERS for each in args)
        case _:
            return False


def _filter_of(context: FileContext, state: ast.Call) -> ast.Call | None:
    """The call of its method `filter`, where that is all that the State is used for."""
    match context.tree.parents[context.tree.parents[state]]:
        case ast.Call(func=ast.Attribute(value=value, attr="filter")) as call if value is state:
            return call
        case _:
            return None


def _is_other_value(context: FileContext, load: ast.Name, names: frozenset[str]) -> bool:
    """`model.linear.kernel[...]`."""
    node: ast.expr = load
    parent = context.tree.parents[node]
    while isinstance(parent, ast.Attribute) and parent.attr not in names:
        node, parent = parent, context.tree.parents[parent]
    match parent:
        case ast.Subscript(value=value, slice=ast.Constant(value=key)):
            return value is node is not load and key is Ellipsis
        case _:
            return False
