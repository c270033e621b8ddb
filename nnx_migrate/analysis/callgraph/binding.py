"""The arguments of a call, bound to the parameters of the function that it runs."""

from __future__ import annotations

from collections.abc import Iterator

from nnx_migrate.analysis.domain.values import FunctionValue, Scope
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.symbols.class_hierarchy import Hierarchy

_NONE = ir.Constant("none")


def leading(value: FunctionValue) -> int:
    """How many leading parameters a call does not pass: `self`, and what a partial holds."""
    return (1 if value.bound else 0) + value.partial_args


def unbound(function: ir.Function, value: FunctionValue) -> list[ir.Parameter]:
    """The parameters that are left to a call of `value`, in their order."""
    left = function.parameters[leading(value) :]
    return [each for each in left if each.name not in value.bound_keywords]


def hides_arguments(call: ir.Call) -> bool:
    """Whether a call unpacks arguments from a sequence or a mapping."""
    return any(isinstance(each, ir.Starred) for each in call.args) or None in dict(call.keywords)


def parameter_at(
    function: ir.Function, value: FunctionValue, index: int, catching: bool = False
) -> ir.Parameter | None:
    """The parameter that the argument at a place of a call binds, if there is one.

    Args:
        catching: `*args` counts for all places behind the positional parameters.
    """
    place = index + leading(value)
    if not catching:
        return function.parameters[place] if place < len(function.parameters) else None
    positional = [each for each in function.parameters if each.kind == "positional"]
    if place < len(positional):
        return positional[place]
    return next((each for each in function.parameters if each.kind == "star"), None)


def arguments(
    function: ir.Function, value: FunctionValue, call: ir.Call
) -> Iterator[tuple[ir.Parameter, ir.Expr | None]]:
    """Each parameter with what a call of `value` passes for it, as `argument_for` says."""
    offset = leading(value)
    for place, parameter in enumerate(function.parameters):
        yield parameter, _argument_at(place - offset, parameter, call)


def argument_for(
    parameters: tuple[ir.Parameter, ...],
    parameter: ir.Parameter,
    call: ir.Call,
    offset: int = 0,
    placed: bool = False,
) -> ir.Expr | None:
    """What a call passes for a parameter; None when it passes none or it is hidden.

    Args:
        parameters: all that is called has.
        offset: how many leading ones are already bound.
        placed: of `*args` behind all others, what stands at its place, in the stead of any element.
    """
    place = [each.name for each in parameters].index(parameter.name) - offset
    return _argument_at(place, parameter, call, placed)


def _argument_at(
    place: int, parameter: ir.Parameter, call: ir.Call, placed: bool = False
) -> ir.Expr | None:
    """The same for the parameter that is at a place among those that are not bound."""
    for keyword, value in call.keywords:
        if keyword == parameter.name:
            return value
    if parameter.kind != "positional":
        return None
    if place < 0:
        return None
    for at, arg in enumerate(call.args[: place + 1]):
        if isinstance(arg, ir.Starred):
            last = at == len(call.args) - 1
            return ir.Unpacked(arg.value, place - at) if placed and last else ir.Element(arg.value)
    return call.args[place] if place < len(call.args) else None


def caught(
    function: ir.Function, parameter: ir.Parameter, call: ir.Call, offset: int
) -> ir.Sequence:
    """What `*args` or `**options` collects from a call."""
    if parameter.kind == "star":
        positional = sum(p.kind == "positional" for p in function.parameters)
        return ir.Sequence(call.args[max(positional - offset, 0) :], is_tuple=True)
    named = {p.name for p in function.parameters}
    values = [v if k else ir.Element(v) for k, v in call.keywords if k not in named]
    return ir.Sequence(tuple(values), is_tuple=False, keyed="yes")


def passed_none(hierarchy: Hierarchy, class_name: str, call: ir.Call) -> frozenset[str]:
    """The parameters of a class's constructor for which a call passes None, defaults included.

    Nothing where some arguments are hidden.
    """
    method = hierarchy.method(class_name, "__init__")
    if not isinstance(method, Scope) or hides_arguments(call):
        return frozenset()
    function = hierarchy.project.function(method)
    found = set()
    for parameter in function.parameters[1:]:
        if parameter.kind in {"positional", "keyword"} and parameter.name not in function.bindings:
            passed = argument_for(function.parameters, parameter, call, 1)
            if _NONE in {passed or parameter.default}:
                found.add(parameter.name)
    return frozenset(found)
