"""Leaves that `nnx.data(...)` makes of what is neither an array nor a Variable."""

from __future__ import annotations

from nnx_migrate.analysis.domain.values import PLAIN, ClassValue, FunctionValue, LibraryValue, Scope
from nnx_migrate.analysis.heap.contents import Contents
from nnx_migrate.analysis.interp.interpreter import Evaluator
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.library.effect_model import MAPPING
from nnx_migrate.core.place import Place

#: Attributes of arrays that are none themselves.
_NO_ARRAYS = frozenset({"dtype", "shape", "ndim", "size", "sharding"})


def marked_as_data(evaluator: Evaluator, scope: Scope, expr: ir.Expr) -> Contents:
    """What `nnx.data(...)` makes leaves of that are neither arrays nor Variables."""
    if not isinstance(expr, ir.Call) or evaluator.project.nnx_name(scope, expr.func) != "data":
        return Contents()
    held = expr.args[0] if expr.args else expr
    if isinstance(held, ir.Sequence):
        plain = any(_is_no_array(evaluator, scope, part) for part in held.elements)
    else:
        plain = _maps_to_none(evaluator, scope, held)
    # A number alone is a leaf in both modes.
    where = (Place(scope.module, expr.line),) if plain else ()
    return Contents(arrays=plain or _is_no_array(evaluator, scope, held), plain=where)


def _is_no_array(evaluator: Evaluator, scope: Scope, expr: ir.Expr) -> bool:
    match expr:
        case ir.Constant(type=sort):
            return sort in {"number", "str"}
        case ir.Sequence(elements=elements):
            return any(_is_no_array(evaluator, scope, element) for element in elements)
        case ir.Attribute(name=name) if name in _NO_ARRAYS:
            return True
    values = evaluator.values(scope, expr)
    kinds = LibraryValue | FunctionValue | ClassValue
    return bool(values) and all(isinstance(v, kinds) or v in PLAIN for v in values)


def _maps_to_none(evaluator: Evaluator, scope: Scope, expr: ir.Expr) -> bool:
    """Whether it is a tree like `jax.tree.map(lambda leaf: leaf.dtype, tree)`."""
    if not isinstance(expr, ir.Call) or not expr.args:
        return False
    if evaluator.project.dotted(scope, expr.func) not in MAPPING:
        return False
    functions = evaluator.values(scope, expr.args[0])
    return any(
        _is_no_array(evaluator, function.scope, returned)
        for function in functions
        if isinstance(function, FunctionValue)
        for returned in evaluator.project.function(function.scope).returns
    )
