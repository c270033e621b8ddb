"""Leaves that `nnx.data(...)` makes of what is neither an array nor a Variable."""

from __future__ import annotations

from nnx_migrate.analysis.domain.containers import any_leaf, parts_of
from nnx_migrate.analysis.domain.values import (
    PLAIN,
    ClassValue,
    FunctionValue,
    LibraryValue,
    ParameterOf,
    Scope,
    Value,
)
from nnx_migrate.analysis.heap.contents import Contents
from nnx_migrate.analysis.interp.interpreter import Evaluator
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.ir.mentioned_names import names_in
from nnx_migrate.analysis.library.effect_model import MAPPING
from nnx_migrate.analysis.symbols.imports.import_graph import is_test_file
from nnx_migrate.core.place import Place

#: Attributes of arrays that are none themselves.
_NO_ARRAYS = frozenset({"dtype", "shape", "ndim", "size", "sharding"})


def marked_as_data(evaluator: Evaluator, scope: Scope, expr: ir.Expr) -> Contents:
    """What `nnx.data(...)` makes leaves of that are neither arrays nor Variables."""
    match expr:
        case ir.Call(func=ir.ANNOTATED, args=(_, value)):
            expr = value
    if not isinstance(expr, ir.Call) or evaluator.project.nnx_name(scope, expr.func) != "data":
        return Contents()
    held = expr.args[0] if expr.args else expr
    plain = _holds_no_array(evaluator, scope, held)
    # A number alone is a leaf in both modes.
    where = _passed_by_tests(evaluator, scope, expr) or (Place(scope.module, expr.line),)
    arrays = plain or _is_no_array(evaluator, scope, held)
    return Contents(arrays=arrays, plain=where if plain else ())


def _passed_by_tests(evaluator: Evaluator, scope: Scope, marked: ir.Call) -> tuple[Place, ...]:
    """Where tests pass what is no array for a parameter, if nothing else says that it may be: such
    objects do not come to programs that run no tests."""
    project = evaluator.project
    match marked.args:
        case [ir.Name(id=name)]:
            bindings = project.bindings(scope, name)
        case _:
            return ()
    match bindings:
        case [ParameterOf(scope=owner, parameter=parameter)] if owner == scope:
            pass
        case _:
            return ()
    if parameter.default is not None or parameter.annotation is not None:
        return ()
    if not _only_marks(project.function(scope), name, marked):
        return ()
    passed = evaluator.callers.arguments(owner, project.function(owner), parameter)
    found = [each.scope for each in passed if _holds_no_array(evaluator, each.scope, each.expr)]
    if not all(is_test_file(each.module) for each in found):
        return ()
    return tuple(Place(each.module, project.function(each).line) for each in found)


def _only_marks(function: ir.Function, name: str, marked: ir.Call) -> bool:
    """Whether a function does nothing else with a parameter, so that it adds nothing to it."""
    stores = (*function.writes, *function.puts)
    parts: list[ir.Expr | None] = [*function.calls]
    parts += [part for store in stores for part in (store.target, store.value)]
    parts += [each for named in function.bindings.values() for each in named]
    others = [part for part in parts if part is not None and part != marked]
    return not function.nested and name not in names_in(others)


def _is_no_array(evaluator: Evaluator, scope: Scope, expr: ir.Expr) -> bool:
    match expr:
        case ir.Constant(type=sort):
            return sort in {"number", "str"}
        case ir.Sequence(elements=elements):
            return any(_is_no_array(evaluator, scope, element) for element in elements)
        case ir.Attribute(name=name) if name in _NO_ARRAYS:
            return True
    values = evaluator.values(scope, expr)
    return bool(values) and all(map(_is_neither, values))


def _is_neither(value: Value) -> bool:
    """Whether a value is neither an array nor an object that holds some."""
    return isinstance(value, LibraryValue | FunctionValue | ClassValue) or value in PLAIN


def _holds_no_array(evaluator: Evaluator, scope: Scope, expr: ir.Expr) -> bool:
    """Whether something in a container is no array, wherever the container comes from."""
    match expr:
        case ir.Sequence(elements=elements):
            return any(_is_no_array(evaluator, scope, part) for part in elements)
        case ir.Computed(operands=operands):  # `[None] * n`: None is no leaf
            return any(_holds_no_array(evaluator, scope, part) for part in operands)
        case ir.Call(func=func) if evaluator.project.dotted(scope, func) in MAPPING:
            return _maps_to_none(evaluator, scope, expr)
    values = evaluator.values(scope, expr)
    parts = (part for value in values for part in parts_of(value))
    return any(any_leaf(part, _is_neither) for part in parts)


def _maps_to_none(evaluator: Evaluator, scope: Scope, expr: ir.Call) -> bool:
    """Whether it is a tree like `jax.tree.map(lambda leaf: leaf.dtype, tree)`."""
    functions = evaluator.values(scope, expr.args[0]) if expr.args else ()
    return any(
        _is_no_array(evaluator, function.scope, returned)
        for function in functions
        if isinstance(function, FunctionValue)
        for returned in evaluator.project.function(function.scope).returns
    )
