"""What reaches a site twice, in one object or in several, or leaves its function twice."""

from __future__ import annotations

import ast
import enum
from collections.abc import Iterator

from nnx_codemods._evidence import seen_apart
from nnx_codemods._freshness.retained_objects import put_together
from nnx_migrate.analysis.domain.values import (
    ClassValue,
    FunctionValue,
    Instance,
    Scope,
    Value,
    Values,
)
from nnx_migrate.analysis.domain.witnesses import in_order
from nnx_migrate.analysis.effects.never_ran import NeverRan
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.ir.lowering.expressions import lower_expr
from nnx_migrate.analysis.points_to.repeated_objects import Untold
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.core.refusal import Cause, Reason
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.functions import function_scopes, given_parameters

#: What objects do that leave a function, in words.
_IS_RETURNED = "is returned"


@enum.unique
class SharedCause(Cause):
    """Where a site has what it gets or gives twice; {reason} is told by the analysis."""

    IN_ARGUMENT = "in {name}, {reason}"
    HELD_BESIDE = "{holder} holds {name}, and both are passed"
    STATE_BESIDE = "{holder} holds the State of {name}, and both are passed ({place})"
    IN_RESULT = "in the result, {reason}"


def holds_twice(context: FileContext, site: Site) -> Reason:
    """One object that holds something twice."""
    if site.transform in {"call", "GraphDef.apply"}:
        return put_together(context, site)
    if site.form == "object":
        operand = site.operands[0]
        made = _given(context, operand)
        same = made == context.values(operand)
        return _reason(context, operand) if same else context.analysis.sharing.of(made)
    never = NeverRan(context.project)
    for scope in function_scopes(context, site):
        for _, name, values in given_parameters(context, site, scope):
            reason = context.analysis.sharing.of(values)
            if reason and not never.held_twice(scope, name):
                told = SharedCause.IN_ARGUMENT.about(name=name, reason=reason)
                return Untold(told) if isinstance(reason, Untold) else told
    given = [
        argument
        for use in site.uses
        for place, argument in (*enumerate(use.args), *((k.arg, k.value) for k in use.keywords))
        if not seen_apart(context, site, place)
    ]
    return next(filter(None, (_reason(context, argument) for argument in given)), "")


def _reason(context: FileContext, given: ast.expr) -> str:
    """Why an argument holds something twice."""
    return context.analysis.sharing.of_expression(
        context.scope(given),
        context.reaching.lowered(given),
        given.lineno,
        read=lower_expr(given),
    )


def _given(context: FileContext, operand: ast.expr) -> Values:
    """What an operand is; of a class or function what it makes."""
    found: Values = frozenset()
    for value in context.values(operand):
        match value:
            case ClassValue(class_name=name):
                found |= {Instance(name)}
            case FunctionValue(scope=scope):
                found |= context.evaluator.returned(scope)
            case _:
                found |= {value}
    return found


def beside_its_optimizer(context: FileContext, site: Site) -> Reason:
    """A model and the ModelAndOptimizer, or another holder of its State, that was made of it."""
    for scope in function_scopes(context, site):
        parameters = [(name, values) for _, name, values in given_parameters(context, site, scope)]
        if not any(_keeps_others(context, value) for _, values in parameters for value in values):
            continue
        given = [
            (name, value)
            for name, values in parameters
            for value in in_order(values)
            if isinstance(value, Instance)
        ]
        for holder, optimizer in given:
            wraps = optimizer.class_name == "flax.nnx.ModelAndOptimizer" and optimizer.wraps
            held = {(v.class_name, v.origin) for v in wraps or () if isinstance(v, Instance)}
            states = dict(context.analysis.sharing.states_kept(optimizer.class_name))
            for name, value in given:
                if (value.class_name, value.origin) in held and name != holder:
                    return SharedCause.HELD_BESIDE.about(holder=holder, name=name)
                if value.class_name in states and name != holder:
                    place = states[value.class_name]
                    return SharedCause.STATE_BESIDE.about(place, holder=holder, name=name)
    return ""


def _keeps_others(context: FileContext, value: Value) -> bool:
    """Whether it may hold another object, or keep its State."""
    if not isinstance(value, Instance):
        return False
    name = value.class_name
    return name == "flax.nnx.ModelAndOptimizer" or bool(context.analysis.sharing.states_kept(name))


def returned_twice(context: FileContext, site: Site) -> Reason:
    """Objects that the function makes and returns together, though they share Variables."""
    if site.form in {"operands", "object"}:
        return ""
    for scope in function_scopes(context, site):
        for returned in context.project.function(scope).returns:
            reason = context.analysis.sharing.passed.twice(scope, (returned,), does=_IS_RETURNED)
            if reason:
                return reason
            reason = context.analysis.sharing.of_expression(scope, returned)
            if reason:
                told = SharedCause.IN_RESULT.about(reason=reason)
                return Untold(told) if isinstance(reason, Untold) else told
    return ""


def given_twice(context: FileContext, site: Site) -> str:
    """What is in several arguments of a call, or in one of them twice."""
    twice = context.analysis.sharing.passed.twice
    calls = ((scope, tuple(given), line) for scope, given, line in _calls(context, site))
    return next(filter(None, (twice(*call) for call in calls)), "")


def _calls(context: FileContext, site: Site) -> Iterator[tuple[Scope, list[ir.Expr], int]]:
    """What each known call passes, and where: in this file, or to a decorated function."""
    if site.form in {"operands", "object"}:
        given = [lower_expr(operand) for operand in site.operands]
        yield context.scope(site.node), given, site.node.lineno
        return
    for use in site.uses:
        passed = [*use.args, *(keyword.value for keyword in use.keywords)]
        yield context.scope(use), [lower_expr(argument) for argument in passed], use.lineno
    for scope in function_scopes(context, site):
        callers = context.evaluator.callers
        for where, call, value in (*callers.of(scope), *callers.implied(scope)):
            bound = value.partial_args or value.bound_keywords
            if site.form != "decorator" and not (bound and site.transform in value.transforms):
                continue
            own = [call.func.base] if value.bound and isinstance(call.func, ir.Attribute) else []
            if bound:
                own += [ir.Attribute(call.func, "args"), ir.Attribute(call.func, "keywords")]
            yield where, [*own, *call.args, *(given for _, given in call.keywords)], call.line
