"""Whether what a function sows can become a result: it is popped after each call, and only that."""

from __future__ import annotations

import ast
import dataclasses
import functools
import re
from collections.abc import Mapping

from codemods._forward import NotCaptured
from codemods._perturbed import perturbed
from codemods._popped import is_cleared_before
from codemods._routes import route_of
from codemods._sown import (
    INTERMEDIATE,
    RULE_NAME,
    SOWN_UNDER,
    Sowing,
    known_calls,
    may_sow,
    sowing_of,
    sows,
)
from codemods._sown_values import check_names, sown_type
from nnx_migrate.facts.effects import Effects
from nnx_migrate.facts.leftovers import CollectingEffects, LeftoverFinder
from nnx_migrate.facts.sites import Site
from nnx_migrate.facts.values import Scope
from nnx_migrate.rewrite.context import FileContext
from nnx_migrate.rewrite.layout import line_after
from nnx_migrate.rewrite.plan import CapturedCall, CapturePlan
from nnx_migrate.rewrite.round import covered_by_setters

_POPS = re.compile(r"nnx\.pop\(")


@dataclasses.dataclass(frozen=True, slots=True)
class Captured:
    """A function whose sown values become a result of it, and how.

    Args:
        ignored: a comment by the site speaks to this tool, so that it may stay as it is.
        assumed: why something might be sown on the object before, which is taken not to be.
    """

    sowing: Sowing
    plan: CapturePlan
    ignored: bool
    assumed: tuple[str, ...] = ()


@functools.lru_cache(maxsize=2)
def captured(context: FileContext) -> Mapping[Site, Captured | str]:
    """The sites of a file whose functions sow: what is to be done, or in words why it is not."""
    found: dict[Site, Captured | str] = {}
    for site in context.finder.sites:
        if site.transform in SOWN_UNDER and sows(context, site):
            try:
                found[site] = _captured(context, site)
            except NotCaptured as missing:
                found[site] = str(missing)
    return found


def _captured(context: FileContext, site: Site) -> Captured:
    if site.decided or covered_by_setters(context, site.node):
        raise NotCaptured("its mode is chosen already")
    if not context.options.runs(RULE_NAME):
        raise NotCaptured(f"{RULE_NAME} is not to run")
    sowing = sowing_of(context, site)
    route = route_of(context, sowing)
    variable_type, name = sown_type(context, site, sowing, route.calls)
    if sowing.forward is not None and site.transform == "vmap" and variable_type != INTERMEDIATE:
        raise NotCaptured("which axis StateAxes give to what is sown is not known")
    check_names(context, sowing, route)
    assumed = _check_nothing_left(context, route.calls)
    of_library = variable_type == INTERMEDIATE
    forward = route.forward or sowing.forward
    plan = CapturePlan(name, of_library, route.calls, forward, route.passed_on, route.runs)
    return Captured(sowing, plan, _is_ignored(context, site), assumed)


def missing(context: FileContext, site: Site) -> str:
    """What to add to a reason for which a site keeps what its function sows."""
    if not may_sow(context.project):
        return ""
    reason = captured(context).get(site, None)
    return f"; nnx.capture does not do: {reason}" if isinstance(reason, str) else ""


def is_done(context: FileContext, site: Site) -> bool:
    """Whether what the function at a site sows becomes a result of it now."""
    found = captured(context).get(site)
    return isinstance(found, Captured) and not found.ignored


def _is_ignored(context: FileContext, site: Site) -> bool:
    statement = context.tree.statement(site.node)
    start = context.text.line_start(site.node.lineno)
    last = max(site.node.end_lineno or 0, getattr(statement, "end_lineno", None) or 0)
    last = last if site.form == "call" else site.node.end_lineno or 0
    comments = context.comments_between(start, line_after(context, last))
    return any("nnx-migrate" in comment for comment in comments)


def left_after(context: FileContext, site: Site, scope: Scope, parameter: str) -> Effects:
    """What a function does to a parameter once what is captured in it is no more sown.

    Of the functions of sites that are to be captured themselves, all that they do now.
    """
    effects = _without_perturbed(context, scope, context.analysis.effects.of(scope, parameter))
    if not may_sow(context.project) or not any(e.sows or _POPS.match(e.what) for e in effects):
        return effects
    if is_done(context, site):
        return effects
    finder, popped = _without_captured(context)
    return frozenset(
        effect
        for effect in finder.of(scope, parameter)
        if not (_POPS.match(effect.what) and effect.where in popped)
    )


def _without_perturbed(context: FileContext, scope: Scope, effects: Effects) -> Effects:
    """The effects of a function where what it perturbs is about to be collected.

    What is left then is seen when the text has changed.
    """
    if not any(e.what.startswith(".perturb()") for e in effects):
        return effects
    reached = context.analysis.extents.reached((scope,))
    path = context.project.path_of(context.tree.module)
    for site, found in perturbed(context).items():
        if isinstance(found, str) or not found.holders & reached or _is_ignored(context, site):
            continue
        popped = {f"{path}:{call.pop.lineno}" for call in found.plan.calls if call.pop}
        effects = frozenset(
            e
            for e in effects
            if not e.what.startswith(".perturb()")
            and not (_POPS.match(e.what) and e.where in popped)
        )
    return effects


@functools.lru_cache(maxsize=2)
def _without_captured(context: FileContext) -> tuple[CollectingEffects, frozenset[str]]:
    """Effects where what is captured is not sown, and the places of the pops that go."""
    found = (each for each in captured(context).values() if isinstance(each, Captured))
    done = [each for each in found if not each.ignored]
    path = context.project.path_of(context.tree.module)
    popped = {f"{path}:{call.taken.lineno}" for each in done for call in each.plan.calls}
    collected = {each.sowing.scope: each.sowing.parameter for each in done}
    return CollectingEffects(context.evaluator, collected), frozenset(popped)


def _check_nothing_left(context: FileContext, pairs: tuple[CapturedCall, ...]) -> tuple[str, ...]:
    """Nothing sown lies on the object yet when the function is called, but for what is assumed."""
    unsafe = context.options.unsafe
    finder = LeftoverFinder(context.analysis, _collected(context), trusting=unsafe)
    for pair in pairs:
        if is_cleared_before(context, pair):
            continue
        model = pair.use.args[0]
        assert isinstance(model, ast.Name)
        reason = finder.on(context.tree.scope(model), model.id)
        if reason:
            raise NotCaptured(reason)
    assumed = list(finder.trusted)
    for scope in sorted(finder.holders, key=str):
        try:
            _check_holder(context, scope)
        except NotCaptured as unseen:
            if not unsafe:
                raise
            assumed.append(str(unseen))
    return tuple(dict.fromkeys(assumed))


def _check_holder(context: FileContext, scope: Scope) -> None:
    """All calls of a function that is given the object are in this file."""
    holder = context.tree.functions.get(scope.function)
    if scope.module != context.tree.module or not isinstance(holder, ast.FunctionDef):
        raise NotCaptured("it is called from other files too")
    known_calls(context, holder, holder.name)


def _collected(context: FileContext) -> dict[Scope, str]:
    """The functions of this file all of whose calls are followed by nnx.pop."""
    found: dict[Scope, str] = {}
    for site in context.finder.sites:
        if site.transform in SOWN_UNDER and sows(context, site):
            try:
                found |= route_of(context, sowing_of(context, site)).sowing
            except NotCaptured:
                continue
    return found
