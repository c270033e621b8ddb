"""Where what a function sows is popped: after each call of it, or of functions that call it."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Sequence

from nnx_codemods._callers.passing_calls import Call, calls_of
from nnx_codemods._sown.pops.forward_calls import NotCaptured, forward_of, only_return
from nnx_codemods._sown.pops.pairs import (
    foreign_call,
    is_alone,
    mentioned,
    mentions_of,
    popped_after,
    updates_only,
    why_not_before,
)
from nnx_codemods._sown.pops.runs import runs_of
from nnx_codemods._sown.reads import read_after
from nnx_codemods._sown.sowing import Sowing
from nnx_migrate.analysis.domain.values import ParameterOf, Scope
from nnx_migrate.analysis.residual_sow import CollectingEffects, harm
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import NotRewritten
from nnx_migrate.rewrite.model.sown_plans import CapturedCall, PassedOn, Run

#: Options of nnx.jit that do not depend on what the function returns.
_OF_ARGUMENTS = frozenset(
    {"donate_argnums", "donate_argnames", "static_argnums", "static_argnames"}
)


@dataclasses.dataclass(frozen=True, slots=True)
class Route:
    """The way of what is sown.

    Args:
        sowing: the functions that it is sown in, or comes through, with the parameter of each.
        passed_on: how each of the functions between returns it.
        calls: the calls after each of which it is popped.
        assumed: what has to be assumed for these to be all.
        runs: the same calls, where several may go before one pop, and
        passes: the call in the function that sows then.
    """

    sowing: dict[Scope, str]
    calls: tuple[CapturedCall, ...]
    passed_on: tuple[PassedOn, ...] = ()
    assumed: tuple[str, ...] = ()
    runs: tuple[Run, ...] = ()
    passes: tuple[ast.Call, ...] = ()


def route_of(context: FileContext, sowing: Sowing) -> Route:
    """The way of what a function sows.

    Raises:
        NotCaptured: it is not popped after each call.
    """
    together = ""
    direct = [_taken_after(sowing, call) for call in sowing.calls]
    here = all(call.context is context and call.given is None for call in sowing.calls)
    if here and sowing.plain and any(isinstance(pair, str) for pair in direct):
        try:
            return _accumulated(context, sowing)
        except NotRewritten as missing:
            together = f"; of several calls together, {missing}"
    walk = _Walk(sowing)
    try:
        walk.follow(sowing.calls, passed_on=False)
    except NotRewritten as missing:
        raise NotCaptured(f"{missing}{together}") from None
    assumed = tuple(dict.fromkeys((*sowing.assumed, *walk.assumed)))
    return Route(walk.sowing, tuple(walk.calls), tuple(walk.passed_on), assumed)


def _taken_after(sowing: Sowing, call: Call) -> CapturedCall | str:
    """The pop that follows a call, or the reads; in words why there are none."""
    pair = popped_after(call.context, call.use, call.given)
    names = frozenset(each.name for each in sowing.sown)
    if isinstance(pair, CapturedCall) or "" in names or call.given is not None:
        return pair
    try:
        return read_after(call.context, call.use, names)
    except NotRewritten as missing:
        return f"{pair}; as for reads, {missing}"


def _accumulated(context: FileContext, sowing: Sowing) -> Route:
    """Calls that sow one after the other before one pop."""
    names = frozenset(each.name for each in sowing.sown)
    runs = runs_of(context, [call.use for call in sowing.calls], names)
    definition = context.tree.functions[sowing.scope.function]
    forward = forward_of(context, definition, sowing.parameter)
    calls = tuple(call for run in runs for call in run.calls)
    return Route({sowing.scope: sowing.parameter}, calls, runs=runs, passes=(forward,))


class _Walk:
    """Follows the calls outwards until what they leave is popped."""

    def __init__(self, sowing: Sowing) -> None:
        self.direct = sowing
        self.aux = sowing.aux
        self.sowing = {sowing.scope: sowing.parameter}
        self.calls: list[CapturedCall] = []
        self.passed_on: list[PassedOn] = []
        self.assumed: list[str] = []

    def follow(self, calls: Sequence[Call], *, passed_on: bool) -> None:
        """Each call is followed by a pop, or its result and what is sown are returned."""
        for call in calls:
            pair = _taken_after(self.direct, call)
            if passed_on:
                pair = popped_after(call.context, call.use, call.given)
            if isinstance(pair, CapturedCall):
                if self.aux and pair.before and not passed_on:
                    raise NotCaptured("the call is part of a larger expression")
                self.calls.append(dataclasses.replace(pair, passed_on=passed_on))
                continue
            holder = call.context.tree.function_around(call.use)
            if not isinstance(holder, ast.FunctionDef):
                raise NotCaptured(pair)
            try:
                self._through(call, holder, passed_on)
            except NotRewritten as missing:
                raise NotCaptured(f"{pair}, and it is not returned: {missing}") from None

    def _through(self, call: Call, holder: ast.FunctionDef, passed_on: bool) -> None:
        """The way out of the function around a call, which returns it beside its own result."""
        context = call.context
        scope = context.tree.scope_of(holder)
        if scope in self.sowing:
            raise NotCaptured(f"{holder.name} comes by it more than once")
        use = call.use
        parameter = _given_parameter(context, call, holder)
        returned = only_return(context, holder)
        statement = context.tree.statement(use)
        if statement not in holder.body:
            raise NotCaptured(f"{holder.name} calls it in an inner block")
        aux = self.aux and not passed_on
        before = returned.value is not use and not is_alone(statement, use)
        reason = before and why_not_before(context, statement, use)
        if reason or (aux and (before or statement is returned)):
            raise NotCaptured(reason or "the call is part of a larger expression")
        _check_unused(context, holder, statement, use, parameter)
        effects = CollectingEffects(context.analysis, self.sowing)
        left = harm(effects.of(scope, parameter))
        if left is not None:
            raise NotCaptured(f"{left.what} ({left.where})")
        _check_decorators(context, holder)
        self.sowing[scope] = parameter
        unless = None if returned.value is use else returned
        module = context.tree.module
        self.passed_on.append(PassedOn(use, unless, passed_on, before, module))
        calls, assumed = calls_of(context, holder, parameter)
        self.assumed += assumed
        self.follow(calls, passed_on=True)


def _check_unused(
    context: FileContext,
    holder: ast.FunctionDef,
    statement: ast.stmt,
    use: ast.Call,
    parameter: str,
) -> None:
    """Nothing in a function between does anything with the object after the call."""
    later = holder.body[holder.body.index(statement) + 1 :]
    if len(mentions_of(statement, parameter)) > 1:
        raise NotCaptured(f"{parameter} is used twice in line {statement.lineno}")
    model = ast.Name(parameter, ast.Load())
    for each in later:
        if mentioned(each, parameter) and not updates_only(context, each, model):
            raise NotCaptured(f"{parameter} is used in line {each.lineno}")
    if not is_alone(statement, use):
        later = [statement, *later]
    foreign = foreign_call(context, statement, later, use)
    if foreign is not None:
        raise NotCaptured(f"what line {foreign.lineno} calls may use {parameter}")


def _given_parameter(context: FileContext, call: Call, holder: ast.FunctionDef) -> str:
    """The parameter that is passed on."""
    given = call.given if call.given is not None else call.use.args[0] if call.use.args else None
    if not isinstance(given, ast.Name):
        raise NotCaptured("the object is not passed by its name")
    others = [arg for arg in call.use.args if arg is not given]
    others += [keyword.value for keyword in call.use.keywords if keyword.value is not given]
    if any(mentioned(other, given.id) for other in others):
        raise NotCaptured(f"{given.id} is passed twice")
    bindings = context.project.bindings(context.tree.scope(call.use), given.id)
    if len(bindings) != 1 or not isinstance(bindings[0], ParameterOf):
        raise NotCaptured(f"what {given.id} names is no parameter of {holder.name}")
    if bindings[0].scope != context.tree.scope_of(holder):
        raise NotCaptured(f"what {given.id} names is no parameter of {holder.name}")
    return given.id


def _check_decorators(context: FileContext, holder: ast.FunctionDef) -> None:
    """Nothing but nnx.jit stands around the function, and it takes any result."""
    sites = {site.node: site for site in context.finder.sites if site.function is holder}
    for decorator in holder.decorator_list:
        site = sites.get(decorator)
        if site is None or not (site.spec.compiles and site.complete) or site.spec.maps_axes:
            raise NotCaptured(f"{holder.name} has decorators other than nnx.jit")
        if site.options.keys() - _OF_ARGUMENTS:
            raise NotCaptured(f"nnx.jit of {holder.name} has options for its result")
