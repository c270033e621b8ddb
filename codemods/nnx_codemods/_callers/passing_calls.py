"""Calls that give an object to a function that sows on it, or to one that calls such a function."""

from __future__ import annotations

import ast
import dataclasses

from nnx_codemods._callers.entry_calls import check_alone, ways_in
from nnx_codemods._callers.known_calls import all_calls, known_calls
from nnx_codemods._sown.pops.forward_calls import NotCaptured
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.rewrite.model.context import FileContext


@dataclasses.dataclass(frozen=True, slots=True)
class Call:
    """A call.

    Args:
        given: the object, where it is not the first argument.
    """

    use: ast.Call
    context: FileContext
    given: ast.expr | None = None


def calls_of(
    context: FileContext, function: ast.FunctionDef, parameter: str
) -> tuple[tuple[Call, ...], tuple[str, ...]]:
    """All calls of a function, with what they give it, and what is assumed for them to be all.

    Raises:
        NotCaptured: others may call it.
    """
    if context.tree.class_around(function) is not None:
        return calls_of_method(context, function, parameter)
    first = [*function.args.posonlyargs, *function.args.args][0].arg
    if first == parameter:
        calls = all_calls(context, function, function.name)
        return tuple(Call(use, there) for there, use in calls), ()
    known = known_calls(context, function, function.name)
    ways = ways_in(context, function, parameter)
    if {way.call for way in ways} != set(known):
        raise NotCaptured(f"not all calls of {function.name} are to be seen")
    return tuple(Call(way.call, context, way.given) for way in ways), ()


def calls_of_method(
    context: FileContext, method: ast.FunctionDef, parameter: str
) -> tuple[tuple[Call, ...], tuple[str, ...]]:
    """All calls of a method, none of which can run another one.

    Raises:
        NotCaptured: others may call it, or a subclass has its own.
    """
    around = context.tree.class_around(method)
    assert around is not None
    if context.tree.scope(method).function != ir.MODULE_SCOPE:
        raise NotCaptured(f"{around.name} is a local class")
    called = "" if method.name.startswith("__") else method.name
    name = f"{around.name}.{method.name}"
    assumed = check_alone(context, name, called)
    ways = ways_in(context, method, parameter)
    for way in ways:
        if not way.sole or way.captured:
            raise NotCaptured(f"line {way.call.lineno} may run another {method.name} too")
    calls = tuple(Call(way.call, context, way.given) for way in ways)
    return calls, (assumed,) if assumed else ()
