"""Objects that share nothing because one of them is made of nothing that was there before."""

from __future__ import annotations

import ast

from nnx_codemods._freshness.fresh_objects import Made, is_made_alone, origin_of
from nnx_codemods._freshness.refusal import TogetherCause
from nnx_migrate.analysis.callgraph.binding import arguments
from nnx_migrate.analysis.domain.values import (
    FunctionValue,
    LibraryValue,
    Located,
    ParameterOf,
    Value,
)
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.core.place import Place
from nnx_migrate.core.refusal import Reason
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.ownership import direct_calls


def made_apart(context: FileContext, one: Located, other: Located) -> bool:
    """Whether two objects are made by calls of their own, and hold nothing in common."""
    return not why_together(context, one, other)


def why_together(
    context: FileContext,
    one: Located,
    other: Located,
    around: frozenset[tuple[ParameterOf, ParameterOf]] = frozenset(),
) -> Reason:
    """Why two objects may be one, or hold something in common; empty when they do not.

    Of parameters, what says so of some call in the project.

    Args:
        around: the parameters that are looked at: that a function passes them on to itself adds
            nothing.
    """
    one, other = _where_bound(context, one), _where_bound(context, other)
    first, second = origin_of(context, one), origin_of(context, other)
    for place, origin in ((one, first), (other, second)):
        if origin is None:
            return TogetherCause.MAKER_HIDDEN.about(text=_text(place.expr))
    if _holds(context, one, other):
        return TogetherCause.PART_OF_OTHER
    if isinstance(first, ParameterOf) and isinstance(second, ParameterOf):
        if first.scope != second.scope:
            return TogetherCause.OTHER_FUNCTIONS
        return "" if (first, second) in around else _passed_together(context, first, second, around)
    if first == second:
        return TogetherCause.MADE_BY_ONE_CALL
    given = [each for each in (first, second) if isinstance(each, ParameterOf)]
    made = [each for each in (first, second) if isinstance(each, Made)]
    if given and {each.scope for each in given} != {each.scope for each in made}:
        return TogetherCause.OTHER_PARAMETER.about(name=given[0].parameter.name)
    for each in made:
        if not is_made_alone(context, each):
            return TogetherCause.MAY_HOLD_OLDER.about(Place(each.scope.module, each.call.line))
    return ""


def _text(expr: ir.Expr) -> str:
    if isinstance(expr, ir.Attribute):
        return f"{_text(expr.base)}.{expr.name}"
    return expr.id if isinstance(expr, ir.Name) else "an object"


def _where_bound(context: FileContext, place: Located) -> Located:
    """The same in the function that binds the name, where more may be done to the object."""
    if isinstance(place.expr, ir.Name):
        bindings = context.project.bindings(place.scope, place.expr.id)
        if bindings:
            return Located(bindings[0].scope, place.expr)
    return place


def _holds(context: FileContext, one: Located, other: Located) -> bool:
    """Whether one of them is stored in the other, or is a part of it, as far as is seen there."""
    identity = context.analysis.identity
    paths = [identity.path(each.scope, each.expr) for each in (one, other)]
    kept = [path for each in (one, other) for path in identity.kept(each.scope, each.expr)]
    known = [path for path in paths if path]
    if len(known) == 2 and (
        known[0][: len(known[1])] == known[1] or known[1][: len(known[0])] == known[0]
    ):
        return True
    if any(path[: len(each)] == each for path in kept for each in known):
        return True
    return one.scope == other.scope and _given_to_one(context, one, other)


def _given_to_one(context: FileContext, one: Located, other: Located) -> bool:
    """Whether both are given to a function that may store one in the other."""
    for call in context.project.function(one.scope).calls:
        given = [*call.args, *(value for _, value in call.keywords)]
        if one.expr not in given or other.expr not in given:
            continue
        values = context.evaluator.values(one.scope, call.func)
        if not values or any(_may_store(context, value, call) for value in values):
            return True
    return False


def _may_store(context: FileContext, value: Value, call: ir.Call) -> bool:
    if isinstance(value, LibraryValue):
        return False
    if not isinstance(value, FunctionValue):
        return True
    parameters = context.project.function(value.scope).parameters
    effects = (context.effects_of(value.scope, p.name) for p in parameters)
    return any(effect.kind != "escape" and not effect.sows for found in effects for effect in found)


def _passed_together(
    context: FileContext,
    first: ParameterOf,
    second: ParameterOf,
    around: frozenset[tuple[ParameterOf, ParameterOf]],
) -> Reason:
    definition = context.tree.functions.get(first.scope.function)
    function = context.project.function(first.scope)
    if first.scope.module != context.tree.module or not isinstance(definition, ast.FunctionDef):
        return TogetherCause.IN_OTHER_FILE.about(function=function.name)
    if direct_calls(context, definition) is None:
        return TogetherCause.USED_AS_VALUE.about(function=function.name)
    callers = context.evaluator.callers.of(first.scope)
    for where, call, value in callers:
        passed = dict(arguments(function, value, call))
        one, other = passed[first.parameter], passed[second.parameter]
        reason: Reason = TogetherCause.ARGUMENTS_HIDDEN
        if isinstance(one, ir.Call) and isinstance(other, ir.Call):
            both = ir.Sequence((one, other), is_tuple=True)
            one, other = ir.Unpacked(both, 0), ir.Unpacked(both, 1)
        if one is not None and other is not None:
            places = Located(where, one), Located(where, other)
            reason = why_together(context, *places, around | {(first, second)})
        if reason:
            return TogetherCause.OF_CALL.about(Place(where.module, call.line), reason=reason)
    return "" if callers else TogetherCause.NO_CALL.about(function=function.name)
