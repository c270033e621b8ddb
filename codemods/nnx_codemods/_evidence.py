"""Evidence that the rules share: what an argument is, and what the function does to it."""

from __future__ import annotations

import dataclasses
import enum

from nnx_codemods._claims import RuleClaim
from nnx_codemods._next_steps import NextStep, next_steps
from nnx_codemods._rngs.suggestions import forks_wanted
from nnx_codemods._sown.residual_state.popped_inside import without_popped
from nnx_codemods._sown.residual_state.restored import without_restored
from nnx_codemods._unresolved.unknown_effects import unseen_code
from nnx_migrate.analysis.domain.values import (
    NOTHING,
    Basic,
    Instance,
    Scope,
    Values,
    is_unknown,
    short_name,
)
from nnx_migrate.analysis.effects.causes import MethodUnknown, Unseen
from nnx_migrate.analysis.effects.effect import Effect, Effects, worst
from nnx_migrate.analysis.effects.never_ran import NeverRan
from nnx_migrate.analysis.points_to.repeated_objects import Untold
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.core.findings import Evidence, Proof
from nnx_migrate.core.permissions import Permission
from nnx_migrate.core.place import Place
from nnx_migrate.core.refusal import Cause, Refusal
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import Pin
from nnx_migrate.rewrite.model.functions import (
    argument_values,
    function_scopes,
    is_captured,
    parameter_at,
)


@enum.unique
class SplitRefused(Cause):
    """Why an argument may not be passed as States; {what} is told by the analysis."""

    BELOW_CAPTURE = "nnx.capture is below it, and needs the whole Module"
    SHARED = ("tree mode does not allow shared objects: {reason}", NextStep.KEEP_ONCE)
    CHANGES = "the function changes its Module: {what} ({place})"
    UNKNOWN = "cannot tell what happens to the Module: {what} ({place})"
    UPDATES_BROADCAST = (
        "the scan may update argument {index}, which it broadcasts",
        NextStep.CARRY_OR_RETURN,
    )


_GRAPH_NODES = frozenset({"module", "metric", "rngs", "optimizer"})


def is_graph_node(
    context: FileContext, values: Values, kinds: frozenset[str] = _GRAPH_NODES
) -> bool:
    """Whether every value is a Module, Rngs, Optimizer or Metric (or one of `kinds`)."""
    return bool(values) and all(
        isinstance(v, Instance)
        and not v.partial
        and not v.probable
        and context.evaluator.hierarchy.kind(v.class_name) in kinds
        for v in values
    )


def kind_evidence(
    context: FileContext, index: int, values: Values, kinds: frozenset[str] = _GRAPH_NODES
) -> Evidence:
    """What the argument at `index` is; ASSUMED when it may be something else."""
    if is_graph_node(context, values, kinds):
        instances = [v for v in values if isinstance(v, Instance)]
        names = sorted({short_name(v.class_name) for v in instances})
        places = [v.origin for v in instances if isinstance(v.origin, Place)]
        words = min((v.origin for v in instances if isinstance(v.origin, str)), default="")
        known = f" ({words})" if words and not places else ""
        claim = RuleClaim.ARGUMENT_IS.about(index=index, kinds=f"{' or '.join(names)}{known}")
        return Evidence(str(claim), Proof.PROVED, min(places, default=None))
    reasons = sorted({v.reason for v in values if isinstance(v, Basic) and v.reason})
    because = reasons[0] if reasons and is_unknown(values) else "it can be of several classes"
    claim = RuleClaim.CLASS_UNKNOWN.about(index=index, because=because)
    return Evidence(str(claim), Proof.ASSUMED, permission=Permission.UNKNOWN_CLASS)


def refuse_split(
    context: FileContext,
    site: Site,
    rule: str,
    index: int,
    values: Values,
    evidence: list[Evidence],
    kinds: frozenset[str] = _GRAPH_NODES,
    *,
    by_code_in_sight: bool = False,
) -> Pin | None:
    """Why an argument may not be passed as States; None when it may.

    Args:
        values: what the argument can be.
        evidence: what is found out is added to it.
        kinds: what the argument has to be.
        by_code_in_sight: what a call of something unknown does is asked of the code in sight that
            may be meant, as for every traced function (`structural-update`); not so where its own
            class is not known, and only allowed.
    """
    if site.form == "decorator" and is_captured(context, site):
        return Pin(rule, SplitRefused.BELOW_CAPTURE)
    known = kind_evidence(context, index, values, kinds)
    evidence.append(known)
    if known.permission is not None and not context.options.allows(known.permission):
        showing = (NextStep.ANNOTATE_ARGUMENT, NextStep.OBSERVE)
        return Pin(rule, known.claim, tuple(evidence), outward=True, ways_out=showing)
    shared = context.analysis.sharing.of(values)
    if shared and not seen_apart(context, site, index):
        open_ = isinstance(shared, Untold)
        evidence += [] if open_ else [Evidence(shared, Proof.PROVED)]
        evidence += forks_wanted(context, values)
        pin = Pin(rule, SplitRefused.SHARED.about(reason=shared), tuple(evidence), outward=True)
        return dataclasses.replace(pin, ways_out=(NextStep.OBSERVE,)) if open_ else pin
    scopes = function_scopes(context, site)
    told = values if known.permission is None else NOTHING
    effects = effects_on(context, site, scopes, index, told)
    effect = worst(effects)
    if by_code_in_sight and effect is not None and known.permission is None:
        left = _without_impossible(context, site, effects)
        if not left:
            claim = str(RuleClaim.NOTHING_IN_SIGHT_CHANGES.about(index=index))
            evidence.append(Evidence(claim, Proof.ASSUMED, effect.where))
            return None
        effect = worst(left)
    if effect is None:
        claim = str(RuleClaim.KEEPS_STRUCTURE.about(index=index))
        shown = (Place(each.module, context.project.function(each).line) for each in scopes)
        evidence.append(Evidence(claim, Proof.PROVED, min(shown, default=None)))
        return None
    if effect.kind != "unknown":
        evidence.append(Evidence(effect.what, Proof.PROVED, effect.where))
        reason = SplitRefused.CHANGES.about(effect.where, what=effect.told)
        outward, ways = effect.kind == "structure", next_steps(effect.cause, "model")
        pin = Pin(rule, reason, tuple(evidence), outward=outward, sows=effect.sows)
        return dataclasses.replace(pin, ways_out=ways)
    permission = Permission.UNKNOWN_EFFECTS
    evidence.append(unseen_code(effect, permission))
    if context.options.allows(permission):
        return None
    reason = SplitRefused.UNKNOWN.about(effect.where, what=effect.told)
    ways = next_steps(effect.cause, "model")
    sows = isinstance(effect.cause, MethodUnknown) and effect.cause.name == "sow"
    return Pin(rule, reason, tuple(evidence), outward=True, sows=sows, ways_out=ways)


def seen_apart(context: FileContext, site: Site, place: int | str | None) -> bool:
    """Whether runs have shown an argument, and nothing in it that is in two places.

    Args:
        place: of the argument, or its keyword.
    """
    never = NeverRan(context.project)
    scopes = function_scopes(context, site)
    names = [
        parameter_at(context, site, scope, place) if isinstance(place, int) else place
        for scope in scopes
    ]
    given = zip(scopes, names, strict=True)
    return bool(scopes) and all(name and never.held_twice(scope, name) for scope, name in given)


def _without_impossible(context: FileContext, site: Site, effects: Effects) -> Effects:
    """The effects without those of something unknown that no code in sight can have."""
    in_sight = context.analysis.in_sight.of(context.tree.module, site.spec.is_loop)
    return frozenset(
        effect
        for effect in effects
        if effect.kind != "unknown" or in_sight.possible(effect, is_object=True) is not None
    )


def effects_on(
    context: FileContext,
    site: Site,
    scopes: tuple[Scope, ...],
    index: int,
    values: Values = NOTHING,
) -> Effects:
    """What the transformed function does to its argument at `index`.

    Args:
        values: what the argument can be here, where that is known; other calls may pass others.
    """
    if not scopes:
        cause = Unseen("the transformed function is not defined in the project")
        return frozenset({Effect("unknown", cause, context.where(site.node))})
    found: Effects = frozenset()
    collected = index == 0 and is_captured(context, site)
    never = NeverRan(context.project)
    for scope in scopes:
        parameter = parameter_at(context, site, scope, index)
        if parameter is None:
            cause = Unseen("its parameters do not show where the Module goes")
            found |= {Effect("unknown", cause, context.where(site.node))}
        else:
            alone = is_positional(context, scope, parameter)
            effects = context.effects_of(scope, parameter, values if alone else NOTHING)
            effects = without_popped(context, scope, parameter, effects)
            if never.changed(scope, parameter) and never.gave_back(scope, parameter):
                effects = frozenset(e for e in effects if e.kind != "unknown")
            found |= {e for e in effects if not (collected and e.collected)}
    return without_restored(context, found)


def is_positional(context: FileContext, scope: Scope, name: str) -> bool:
    """Whether a parameter gets one argument, and is no `*args`."""
    parameters = context.project.function(scope).parameters
    return any(each.name == name and each.kind == "positional" for each in parameters)


def returned_argument(context: FileContext, scopes: tuple[Scope, ...]) -> tuple[str, Effect] | None:
    """A parameter that the function returns, or a part of it, with the place where it does."""
    for scope in scopes:
        for parameter in context.project.function(scope).parameters:
            for effect in context.effects_of(scope, parameter.name):
                if effect.kind == "escape":
                    return parameter.name, effect
    return None


def updated_broadcast(context: FileContext, site: Site, index: int) -> Refusal | None:
    """Why a scan with axis None for the argument at `index` depends on the mode; None when not.

    Graph mode starts every iteration with the object as it was and discards what the body does to
    it; tree mode carries it (docs/semantics.md: SCN-1). Params alone are not what a forward pass
    updates.
    """
    values = argument_values(context, site, index)
    if is_graph_node(context, values) and not context.analysis.contents.of(values).only_params:
        return SplitRefused.UPDATES_BROADCAST.about(index=index)
    return None
