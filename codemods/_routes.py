"""Where what a function sows is popped: after each call of it, or of the function that calls it."""

from __future__ import annotations

import ast
import dataclasses

from codemods._forward import NotCaptured, only_return
from codemods._known_calls import known_calls
from codemods._popped import foreign_call, mentioned, not_alone, popped_after, updates_only
from codemods._sown import Sowing
from nnx_migrate.facts.leftovers import CollectingEffects, harm
from nnx_migrate.facts.values import ParameterOf, Scope
from nnx_migrate.rewrite.context import FileContext
from nnx_migrate.rewrite.plan import CapturedCall, PassedOn

#: Options of nnx.jit that do not depend on what the function returns.
_OF_ARGUMENTS = frozenset(
    {"donate_argnums", "donate_argnames", "static_argnums", "static_argnames"}
)


@dataclasses.dataclass(frozen=True, slots=True)
class Route:
    """The way of what is sown.

    Args:
        sowing: the functions that it is sown in, or comes through, with the parameter of each.
        passed_on: how a function between returns it.
        calls: the calls after each of which it is popped.
    """

    sowing: dict[Scope, str]
    calls: tuple[CapturedCall, ...]
    passed_on: PassedOn | None = None


def route_of(context: FileContext, sowing: Sowing) -> Route:
    """The way of what a function sows.

    Raises:
        NotCaptured: it is not popped after each call.
    """
    pairs = [popped_after(context, call) for call in sowing.calls]
    calls = tuple(pair for pair in pairs if isinstance(pair, CapturedCall))
    if sowing.forward is not None and any(call.before for call in calls):
        raise NotCaptured("the call is part of a larger expression")
    if len(calls) == len(pairs):
        return Route({sowing.scope: sowing.parameter}, calls)
    reason = next(pair for pair in pairs if isinstance(pair, str))
    (use, *others) = sowing.calls
    holder = context.tree.function_around(use)
    if others or not isinstance(holder, ast.FunctionDef):
        raise NotCaptured(reason)
    try:
        return _through(context, sowing, use, holder)
    except NotCaptured as missing:
        raise NotCaptured(f"{reason}, and it is not returned: {missing}") from None


def _through(context: FileContext, sowing: Sowing, use: ast.Call, holder: ast.FunctionDef) -> Route:
    """The way out of the function around a call, which returns it beside its own result."""
    parameter = _first_parameter(context, use, holder)
    returned = only_return(context, holder)
    statement = context.tree.statement(use)
    if statement not in holder.body:
        raise NotCaptured(f"{holder.name} calls it in an inner block")
    later = holder.body[holder.body.index(statement) + 1 :]
    if statement is not returned and not_alone(statement, use):
        raise NotCaptured(not_alone(statement, use))
    if statement is returned and (returned.value is not use or sowing.forward is not None):
        raise NotCaptured("the call is part of what is returned")
    model = use.args[0]
    assert isinstance(model, ast.Name)
    for each in later:
        if mentioned(each, parameter) and not updates_only(context, each, model):
            raise NotCaptured(f"{parameter} is used in line {each.lineno}")
    foreign = foreign_call(context, statement, later, use)
    if foreign is not None:
        raise NotCaptured(f"what line {foreign.lineno} calls may use {parameter}")
    scope = context.tree.scope_of(holder)
    effects = CollectingEffects(context.evaluator, {sowing.scope: sowing.parameter})
    left = harm(effects.of(scope, parameter))
    if left is not None:
        raise NotCaptured(f"{left.what} ({left.where})")
    _check_decorators(context, holder)
    pairs = [popped_after(context, call) for call in known_calls(context, holder, holder.name)]
    for pair in pairs:
        if isinstance(pair, str):
            raise NotCaptured(pair)
    calls = tuple(pair for pair in pairs if isinstance(pair, CapturedCall))
    passed_on = PassedOn(use, returned if statement is not returned else None)
    return Route({sowing.scope: sowing.parameter, scope: parameter}, calls, passed_on)


def _first_parameter(context: FileContext, use: ast.Call, holder: ast.FunctionDef) -> str:
    """The parameter that is passed on, which has to be the first one there too."""
    if not use.args or not isinstance(use.args[0], ast.Name):
        raise NotCaptured("the object is not passed by its name")
    if any(mentioned(other, use.args[0].id) for other in (*use.args[1:], *use.keywords)):
        raise NotCaptured(f"{use.args[0].id} is passed twice")
    name = use.args[0].id
    bindings = context.project.bindings(context.tree.scope(use), name)
    first = [*holder.args.posonlyargs, *holder.args.args][:1]
    if len(bindings) != 1 or not isinstance(bindings[0], ParameterOf):
        raise NotCaptured(f"{name} is no parameter of {holder.name}")
    if [each.arg for each in first] != [name] or context.tree.class_around(holder):
        raise NotCaptured(f"{name} is not the first parameter of {holder.name}")
    return name


def _check_decorators(context: FileContext, holder: ast.FunctionDef) -> None:
    """Nothing but nnx.jit stands around the function, and it takes any result."""
    sites = {site.node: site for site in context.finder.sites if site.function is holder}
    for decorator in holder.decorator_list:
        site = sites.get(decorator)
        if site is None or site.transform != "jit" or not site.complete:
            raise NotCaptured(f"{holder.name} has decorators other than nnx.jit")
        if site.options.keys() - _OF_ARGUMENTS:
            raise NotCaptured(f"nnx.jit of {holder.name} has options for its result")
