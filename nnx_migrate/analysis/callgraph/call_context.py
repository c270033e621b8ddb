"""What a call passes for the parameters that decide what its function returns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from nnx_migrate.analysis.callgraph.base import Evaluation
from nnx_migrate.analysis.callgraph.binding import arguments, hides_arguments, unbound
from nnx_migrate.analysis.domain.containers import parts_of
from nnx_migrate.analysis.domain.values import (
    Basic,
    FunctionValue,
    Instance,
    Scope,
    Value,
    Values,
    is_unknown,
    scope_around,
)
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.ir.mentioned_names import names_in

#: What a call passes, by the name of the parameter.
Passed = tuple[tuple[str, Values], ...]


def is_joined(values: Values) -> bool:
    """Whether an answer may be that of several callers, so that one of them can know better."""
    objects = [value for value in values if not isinstance(value, Basic)]
    return len(objects) > 1 or is_unknown(values) or any(map(_may_be_several, objects))


def _may_be_several(value: Value) -> bool:
    if isinstance(value, Instance):
        return not value.exact or (bool(value.wraps) and is_joined(value.wraps))
    return any(map(is_joined, parts_of(value)))


def names_of_parameters(function: ir.Function) -> Mapping[str, frozenset[str]]:
    """The names of a function that hold what is made of its parameters, with these."""
    kept = {each.name: {each.name} for each in function.parameters if _takes_one(each)}
    mentioned = {name: names_in(made) for name, made in function.bindings.items()}
    changed = True
    while changed:
        changed = False
        for name, others in mentioned.items():
            found = kept.get(name, set()).union(*(kept.get(other, ()) for other in others))
            if len(found) > len(kept.get(name, ())):
                kept[name] = found
                changed = True
    return {name: frozenset(parameters) for name, parameters in kept.items()}


def passed_by(
    evaluator: Evaluation,
    scope: Scope,
    call: ir.Call,
    callee: FunctionValue,
    decisive: frozenset[str],
) -> Passed:
    """What a call passes for those parameters, as far as it is known."""
    return tuple(_known_arguments(evaluator, scope, call, callee, decisive))


def _known_arguments(
    evaluator: Evaluation,
    scope: Scope,
    call: ir.Call,
    callee: FunctionValue,
    decisive: frozenset[str],
) -> Iterator[tuple[str, Values]]:
    function = evaluator.project.function(callee.scope)
    left = [] if hides_arguments(call) else unbound(function, callee)
    for parameter, argument in arguments(function, callee, call):
        if parameter.name not in decisive:
            continue
        if argument is not None:
            values = evaluator.values(scope, argument)
        elif parameter.default is not None and parameter in left:
            values = evaluator.values(scope_around(callee.scope, function), parameter.default)
        else:
            continue
        # Nothing is found while a circle is open: to take what others pass would stay.
        if not values or not is_unknown(values):
            yield parameter.name, values


def _takes_one(parameter: ir.Parameter) -> bool:
    return parameter.kind not in {"star", "double_star"}
