"""Methods that are passed where nothing but their truth is asked: `block(x, self.train)`.

A Module has a method `train`, so what is meant for a flag is a method, and true. Nobody calls it.
"""

from __future__ import annotations

from collections.abc import Iterator

from nnx_migrate.analysis.callgraph.base import Evaluation
from nnx_migrate.analysis.callgraph.binding import arguments
from nnx_migrate.analysis.domain.values import FunctionValue, Instance, Scope
from nnx_migrate.analysis.heap.global_readers import occurs
from nnx_migrate.analysis.ir import nodes as ir


def is_only_tested(evaluator: Evaluation, scope: Scope, read: ir.Attribute) -> bool:
    """Whether a function uses an attribute as an argument alone, of functions that only test it."""
    function = evaluator.project.function(scope)
    values = [value for values in function.bindings.values() for value in values]
    written = [write.value for write in function.writes]
    if any(
        _is_used(read, each)
        for each in (*values, *written, *function.returns, *function.yields, *function.calls)
    ):
        return False
    calls = [call for call in function.calls if read in _given(call)]
    return bool(calls) and all(_only_tests(evaluator, scope, call, read) for call in calls)


def _given(call: ir.Call) -> tuple[ir.Expr, ...]:
    return (*call.args, *(value for _, value in call.keywords))


def _is_used(read: ir.Attribute, part: object) -> bool:
    """Whether an expression uses it otherwise than as an argument, or in order to call it."""
    if part == read:
        return True
    if isinstance(part, ir.Call):
        parts = [each for each in (part.func, *_given(part)) if each != read]
        return any(_is_used(read, each) for each in parts)
    if isinstance(part, tuple):
        return any(_is_used(read, each) for each in part)
    fields: tuple[str, ...] = getattr(part, "__match_args__", ())
    return any(_is_used(read, getattr(part, field)) for field in fields)


def _only_tests(evaluator: Evaluation, scope: Scope, call: ir.Call, read: ir.Attribute) -> bool:
    called = list(_called(evaluator, scope, call.func))
    return bool(called) and all(
        value is not None and _leaves_alone(evaluator, value, call, read) for value in called
    )


def _called(evaluator: Evaluation, scope: Scope, func: ir.Expr) -> Iterator[FunctionValue | None]:
    """The functions of the project that a call may run; None for all else."""
    for value in evaluator.values(scope, func):
        if isinstance(value, Instance):
            for class_name in evaluator.hierarchy.classes_of(value):
                method = evaluator.hierarchy.method(class_name, "__call__")
                if isinstance(method, Scope):
                    yield FunctionValue(method, method.function, bound=True)
                else:
                    yield None
        else:
            yield value if isinstance(value, FunctionValue) else None


def _leaves_alone(
    evaluator: Evaluation, value: FunctionValue, call: ir.Call, read: ir.Attribute
) -> bool:
    """Whether a function does nothing with what it is passed but test it."""
    function = evaluator.project.function(value.scope)
    given = [
        parameter
        for parameter, passed in arguments(function, value, call)
        if passed == read and parameter.kind in {"positional", "keyword"}
    ]
    if len(given) != _given(call).count(read) or function.decorators or value.transforms:
        return False
    return not any(
        occurs(parameter.name, _uses(evaluator.project.function(inner)))
        for parameter in given
        for inner in evaluator.project.within(value.scope)
    )


def _uses(function: ir.Function) -> tuple[object, ...]:
    """All expressions of a function that are more than the test of a condition."""
    body = (function.calls, function.reads, function.writes, function.returns, function.yields)
    defaults = tuple(parameter.default for parameter in function.parameters)
    return (*body, *function.bindings.values(), function.decorators, defaults)
