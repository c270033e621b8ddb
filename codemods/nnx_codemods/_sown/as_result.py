"""Whether what a function sows can become a result: it is popped after each call, and only that."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping, Sequence

from nnx_codemods._sown.collectors import outlets_of
from nnx_codemods._sown.layers import OVER_LAYERS, layers_of, sows_on
from nnx_codemods._sown.perturbations import perturbed
from nnx_codemods._sown.pops.exceptional_exits import check_not_interrupted
from nnx_codemods._sown.pops.forward_calls import NotCaptured
from nnx_codemods._sown.pops.functions import check_poppers
from nnx_codemods._sown.propagation import route_of
from nnx_codemods._sown.residual_state.nothing_left import check_nothing_left
from nnx_codemods._sown.residual_state.put_back import functions_put_back
from nnx_codemods._sown.several_types import is_of_several, of_several
from nnx_codemods._sown.sowing import RULE_NAME, SOWN_UNDER, Sowing, may_sow, sowing_of, sows
from nnx_codemods._sown.types import check_names, sown_type
from nnx_codemods._sown.untraced_callers import PassedUp, passed_up_by
from nnx_migrate.analysis.domain.values import Scope
from nnx_migrate.analysis.effects.causes import changes_by, changes_by_method
from nnx_migrate.analysis.effects.summary import Effects
from nnx_migrate.analysis.residual_sow import CollectingEffects
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.core.place import Place
from nnx_migrate.rewrite.model.context import FileContext, remembered
from nnx_migrate.rewrite.model.decisions import NotRewritten
from nnx_migrate.rewrite.model.sown_plans import CapturePlan
from nnx_migrate.rewrite.planner.regions import covered_by_setters
from nnx_migrate.rewrite.style.layout import line_after


@dataclasses.dataclass(frozen=True, slots=True)
class Captured:
    """A function whose sown values become a result of it, and how.

    Args:
        through: the functions that they come through, with the parameter of each.
        ignored: a comment by the site speaks to this tool, so that it may stay as it is.
        unseen: why there might be more calls, which is taken not to be.
        assumed: why something might be sown on the object before, which is taken not to be.
    """

    sowing: Sowing
    through: Mapping[Scope, str]
    plan: CapturePlan
    ignored: bool
    unseen: tuple[str, ...] = ()
    assumed: tuple[str, ...] = ()


def captured(context: FileContext) -> Mapping[Site, Captured | str]:
    """The sites of a file whose functions sow: what is to be done, or in words why it is not."""
    return _settled(context)[0]


def passed_up(context: FileContext) -> Mapping[Site, PassedUp | str]:
    """The transforms over layers that sow: how it gets out, or in words why it does not."""
    return _settled(context)[1]


# Not remembered by the context: calls in other files name theirs, which would hold each other.
@functools.lru_cache(maxsize=2)
def _settled(
    context: FileContext,
) -> tuple[Mapping[Site, Captured | str], Mapping[Site, PassedUp | str]]:
    """Both, which depend on each other: what layers sow, a function around them collects."""
    found = _passed_on_twice(context, _candidates(context))
    while may_sow(context.project):
        layers = {
            site: _passed_up(context, site, found)
            for site in context.finder.sites
            if not isinstance(found.get(site), Captured) and sows_on(context, site)
        }
        failed = [site for site, way in layers.items() if isinstance(way, str)]
        lost = [site for site, each in found.items() if _runs_one_of(context, each, failed)]
        if not lost:
            return found, layers
        for site in lost:
            found[site] = "the layers in it do not give back what they sow"
    return found, {}


def _passed_on_twice(
    context: FileContext, found: Mapping[Site, Captured | str]
) -> dict[Site, Captured | str]:
    """Of what comes out of several transforms, one makes a result.

    Layers rather leave it to a transform around the model, which changes fewer functions.
    """
    kept = dict(found)
    for site, each in found.items():
        if isinstance(each, str) or not each.plan.passed_on:
            continue
        without = {other: way for other, way in kept.items() if other is not site}
        if site.transform in OVER_LAYERS and not isinstance(
            _passed_up(context, site, without), str
        ):
            kept[site] = "what the layers sow is collected around them"
            continue
        for other, way in without.items():
            if isinstance(way, Captured) and way.sowing.scope in each.through:
                kept[other] = "what it sows is a result of what it calls"
    return kept


def _runs_one_of(context: FileContext, found: Captured | str, sites: Sequence[Site]) -> bool:
    if isinstance(found, str) or not sites:
        return False
    reached = context.analysis.extents.reached((found.sowing.scope,))
    return any(context.tree.scope(site.node) in reached for site in sites)


def _passed_up(
    context: FileContext, site: Site, found: Mapping[Site, Captured | str]
) -> PassedUp | str:
    try:
        if site.decided or covered_by_setters(context, site.node):
            raise NotCaptured("its mode is chosen already")
        if not context.options.runs(RULE_NAME):
            raise NotCaptured(f"{RULE_NAME} is not to run")
        layers = layers_of(context, site)

        def is_collected(other: Site) -> bool:
            each = found.get(other)
            return isinstance(each, Captured) and not each.ignored

        way = passed_up_by(context, outlets_of(context, layers, is_collected))
        if way.plan is not None:
            check_may_change_there(context, way.plan)
        return way
    except NotRewritten as missing:
        return str(missing)


def _candidates(context: FileContext) -> dict[Site, Captured | str]:
    found: dict[Site, Captured | str] = {}
    for site in context.finder.sites:
        if site.transform in SOWN_UNDER and sows(context, site):
            try:
                found[site] = _captured(context, site)
            except NotRewritten as missing:
                found[site] = str(missing)
    return found


def _captured(context: FileContext, site: Site) -> Captured:
    if site.decided or covered_by_setters(context, site.node):
        raise NotCaptured("its mode is chosen already")
    if not context.options.runs(RULE_NAME):
        raise NotCaptured(f"{RULE_NAME} is not to run")
    sowing = sowing_of(context, site)
    route = route_of(context, sowing)
    if is_of_several(context, sowing, route.calls):
        if any(call.popper is not None for call in route.calls):
            raise NotCaptured("a function pops values of several types")
        types, calls = of_several(context, site, sowing, route)
    else:
        types, calls = (sown_type(context, site, sowing.sown, route.calls),), route.calls
    if sowing.output.by_axes and not all(each.of_library for each in types):
        raise NotCaptured("which axis StateAxes give to what is sown is not known")
    check_names(context, sowing, route)
    check_not_interrupted(context, route)
    check_poppers(context, route.calls)
    assumed = check_nothing_left(context, route.calls, route.sowing)
    plan = CapturePlan(
        types,
        calls,
        route.passes or sowing.passes,
        route.passed_on,
        route.runs,
        in_pair=sowing.output.in_pair,
        options=sowing.output.options,
    )
    check_may_change_there(context, plan)
    return Captured(sowing, route.sowing, plan, _is_ignored(context, site), route.assumed, assumed)


def missing(context: FileContext, site: Site) -> str:
    """What to add to a reason for which a site keeps what its function sows."""
    if not may_sow(context.project):
        return ""
    reasons = (captured(context).get(site), passed_up(context).get(site))
    told = "; nor around its calls: ".join(each for each in reasons if isinstance(each, str))
    return f"; nnx.capture does not do: {told}" if told else ""


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


def check_may_change_there(context: FileContext, plan: CapturePlan) -> None:
    """Nobody forbids what is to be done in other files.

    Raises:
        NotCaptured: somebody does.
    """
    for module in sorted(plan.modules - {context.tree.module}):
        there = context.where_it_is(module)
        if not there.editable:
            raise NotCaptured(
                f"{there.file} would have to change with it, which this run does not do"
            )
        _check_may_change(there, plan.within(module))


def _check_may_change(context: FileContext, plan: CapturePlan) -> None:
    if not context.options.runs(RULE_NAME):
        raise NotCaptured(f"{RULE_NAME} is not to run on {context.file}")
    for node in (*(c.use for c in plan.calls), *(each.use for each in plan.passed_on)):
        statement = context.tree.statement(node)
        start, end = context.text.span(statement)
        line = context.text.line_of(end)
        comments = context.comments_between(start, line_after(context, line))
        if any("nnx-migrate" in comment for comment in comments):
            raise NotCaptured(f"a comment speaks to this tool ({context.where(node)})")


def left_after(context: FileContext, site: Site, scope: Scope, parameter: str) -> Effects:
    """What a function does to a parameter once what is captured in it is no more sown.

    Of the functions of sites that are to be captured themselves, all that they do now.
    """
    effects = _without_perturbed(context, scope, context.analysis.effects.of(scope, parameter))
    if any(e.sows for e in effects) and isinstance(passed_up(context).get(site), PassedUp):
        return frozenset(e for e in effects if not e.sows)
    if not may_sow(context.project) or not any(
        e.sows or changes_by(e.cause, "pop") for e in effects
    ):
        return effects
    if is_done(context, site):
        return effects
    if scope in functions_put_back(context):
        return frozenset(e for e in effects if not e.sows)
    finder, popped = _without_captured(context)
    return frozenset(
        effect
        for effect in finder.of(scope, parameter)
        if not (changes_by(effect.cause, "pop") and effect.where in popped)
    )


def _without_perturbed(context: FileContext, scope: Scope, effects: Effects) -> Effects:
    """The effects of a function where what it perturbs is about to be collected.

    What is left then is seen when the text has changed.
    """
    if not any(changes_by_method(e.cause, "perturb") for e in effects):
        return effects
    reached = context.analysis.extents.reached((scope,))
    for site, found in perturbed(context).items():
        if isinstance(found, str) or not found.holders & reached or _is_ignored(context, site):
            continue
        popped = {
            Place(context.tree.module, call.pop.lineno) for call in found.plan.calls if call.pop
        }
        effects = frozenset(
            e
            for e in effects
            if not changes_by_method(e.cause, "perturb")
            and not (changes_by(e.cause, "pop") and e.where in popped)
        )
    return effects


@remembered
def _without_captured(context: FileContext) -> tuple[CollectingEffects, frozenset[Place]]:
    """Effects where what is captured is not sown, and the places of the pops that go."""
    found = (each for each in captured(context).values() if isinstance(each, Captured))
    done = [each for each in found if not each.ignored]
    popped = {Place(call.module, call.taken.lineno) for each in done for call in each.plan.calls}
    collected = {each.sowing.scope: each.sowing.parameter for each in done}
    return CollectingEffects(context.analysis, collected), frozenset(popped)
