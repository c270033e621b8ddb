"""Functions with the transforms that are put around them, and what they then give."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from nnx_migrate.analysis.callgraph.base import Evaluation
from nnx_migrate.analysis.domain.unknown import Unknown, unknown
from nnx_migrate.analysis.domain.values import (
    STATE,
    Basic,
    FunctionValue,
    Instance,
    LibraryValue,
    Scope,
    TupleValue,
    Value,
    Values,
    scope_around,
)
from nnx_migrate.analysis.flax.names import nnx_name
from nnx_migrate.analysis.flax.transforms import spec
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.library.return_model import ANY_OBJECT, gives_own_result
from nnx_migrate.analysis.symbols.program import Project

#: The transform nnx.capture, followed by how many types of Variables it is told.
CAPTURED = "capture "
#: Where functions stand that take arrays and give arrays.
_OF_ARRAYS = ("jax.nn.", "jax.numpy.", "jax.random.", "jax.scipy.", "optax.losses.")
#: Builtin decorators that say only what a method is bound to.
_BINDING = frozenset({"staticmethod", "classmethod"})


def defined(evaluator: Evaluation, scope: Scope) -> FunctionValue:
    """A function with its decorators, without those that only check types."""
    known = evaluator.defined.get(scope)
    if known is None:
        known = evaluator.defined[scope] = _defined(evaluator, scope)
    return known


def _defined(evaluator: Evaluation, scope: Scope) -> FunctionValue:
    project = evaluator.project
    function = project.function(scope)
    transforms = []
    here = scope_around(scope, function)
    for decorator in reversed(function.decorators):
        if evaluator.transparent.is_one(here, decorator) or _binds(project, here, decorator):
            continue
        target = decorator.func if isinstance(decorator, ir.Call) else decorator
        dotted = project.dotted(here, target)
        if dotted == "functools.partial" and isinstance(decorator, ir.Call) and decorator.args:
            dotted = project.dotted(here, decorator.args[0])
        short = _short(dotted)
        if spec(short).collects and isinstance(decorator, ir.Call):
            short = f"{CAPTURED}{len(decorator.args)}"
        transforms.append(short)
    return FunctionValue(scope, scope.function, tuple(transforms))


def _binds(project: Project, scope: Scope, decorator: ir.Expr) -> bool:
    match decorator:
        case ir.Name(id=name):
            return name in _BINDING and not project.bindings(scope, name)
        case _:
            return False


def transformed(evaluator: Evaluation, scope: Scope, call: ir.Call, dotted: str) -> Values:
    """What a transform gives for the function that a call passes to it."""
    function: ir.Expr | None = call.args[0] if call.args else None
    for keyword, value in call.keywords:
        if keyword in {"f", "fun"}:
            function = value
    if function is None:
        return frozenset({LibraryValue(dotted)})  # a decorator that waits for its function
    short = _short(dotted)
    bound = len(call.args) - 1 if spec(short).binds else 0
    held = evaluator.values(scope, function)
    if spec(short).splits_rngs and not any(isinstance(v, FunctionValue) for v in held):
        return held
    if spec(short).names_axes and all(map(_is_any_object, held)):
        return held  # what an annotation says of a function, though it is not true
    if gives_own_result(short) and all(map(_is_of_arrays, held)):
        return held  # a batch of arrays in the place of one: `jax.vmap(jax.random.split)`
    return frozenset(under_transform(v, short, bound) for v in _as_functions(evaluator, held))


def under_transform(value: Value, short: str, bound: int = 0) -> Value:
    """A function with one more transform around it, and what that binds; other values as is."""
    if not isinstance(value, FunctionValue):
        return value
    around = _around(value.transforms, short)
    return dataclasses.replace(value, transforms=around, partial_args=value.partial_args + bound)


def under_capture(evaluator: Evaluation, scope: Scope, call: ir.Call) -> Values:
    """`nnx.capture(f, T, U)`, which is to give what `f` does, and a State for each type."""
    around = f"{CAPTURED}{len(call.args) - 1}"
    return frozenset(
        dataclasses.replace(v, transforms=(*v.transforms, around))
        if isinstance(v, FunctionValue)
        else v
        for v in _as_functions(evaluator, evaluator.values(scope, call.args[0]))
    )


def result(
    evaluator: Evaluation, function: FunctionValue, returned: Callable[[], Values]
) -> Values:
    """What a call of a function of the project gives through its transforms.

    Args:
        returned: what the function itself gives.
    """
    *inner, outer = function.transforms or ("",)
    if outer.startswith(CAPTURED):
        captured = result(
            evaluator, dataclasses.replace(function, transforms=tuple(inner)), returned
        )
        states = [STATE] * int(outer.removeprefix(CAPTURED))
        if not states:
            return captured
        return frozenset({TupleValue((captured, *states))})
    if spec(outer).result == "error and own":
        checked = result(
            evaluator, dataclasses.replace(function, transforms=tuple(inner)), returned
        )
        return frozenset({TupleValue((unknown(Unknown.ERROR), checked))})
    if gives_own_result(outer) and any(map(_adds, inner)):
        return result(evaluator, dataclasses.replace(function, transforms=tuple(inner)), returned)
    given = {spec(name).result for name in function.transforms}
    if "gradient" in given:
        beside = auxiliary(evaluator.project.function(function.scope))
        gradient = unknown(Unknown.GRADIENT)
        if not beside:
            return gradient
        return frozenset({TupleValue((gradient, evaluator.all_of(function.scope, beside)))})
    if "value and gradient" in given:
        return frozenset({TupleValue((returned(), unknown(Unknown.GRADIENT)))})
    if all(map(gives_own_result, function.transforms)):
        return returned()
    return unknown(Unknown.RESULT_OF_DECORATED)


def auxiliary(loss: ir.Function) -> tuple[ir.Expr, ...]:
    """What a loss returns beside its value, if it always does: `has_aux` is true then."""
    pairs = [
        each.elements
        for each in loss.returns
        if isinstance(each, ir.Sequence) and each.is_tuple and len(each.elements) == 2
    ]
    return tuple(second for _, second in pairs) if len(pairs) == len(loss.returns) else ()


def _adds(name: str) -> bool:
    """Whether a transform gives something beside the result, which those around it give back."""
    return name.startswith(CAPTURED) or spec(name).result == "error and own"


def _as_functions(evaluator: Evaluation, values: Values) -> Values:
    """Replace Modules and classes that are called by the methods that a call runs."""
    found: set[Value] = set()
    for value in values:
        if isinstance(value, Instance):
            method = evaluator.hierarchy.method(value.class_name, "__call__")
            if isinstance(method, Scope):
                found.add(FunctionValue(method, method.function, bound=True))
                continue
            if _is_any_object(value):
                found.add(value)  # any Module in sight, for all that is known
            else:
                found |= unknown(Unknown.MODULE_AS_FUNCTION)
        elif isinstance(value, Basic):
            told = Basic("unknown", value.reason)
            found |= {told} if value.reason else unknown(Unknown.TRANSFORM_OF_UNKNOWN)
        elif isinstance(value, LibraryValue):
            found |= unknown(Unknown.TRANSFORM_OF_OTHER, name=value.dotted)
        else:
            found.add(value)
    return frozenset(found)


def _is_any_object(value: Value) -> bool:
    return isinstance(value, Instance) and value.class_name in ANY_OBJECT


def _is_of_arrays(value: Value) -> bool:
    return isinstance(value, LibraryValue) and value.dotted.startswith(_OF_ARRAYS)


def _short(dotted: str | None) -> str:
    name = nnx_name(dotted)
    return name.removeprefix("compat.") if name else (dotted or "?")


def _around(transforms: tuple[str, ...], outer: str) -> tuple[str, ...]:
    """With one more; once each, so that `f = nnx.jit(f)` does not go on for ever."""
    return transforms if outer in transforms else (*transforms, outer)
