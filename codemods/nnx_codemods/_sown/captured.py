"""Whether `nnx.capture` can collect what a function sows: it is popped right behind each call.

All else is put back behind the call (`residual_state`).
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Mapping

from nnx_codemods._callers.traced_calls import uses_of
from nnx_codemods._sown.adjacent_pop import popped_behind
from nnx_codemods._sown.exceptional_exits import check_not_interrupted
from nnx_codemods._sown.forward_call import captured_pass
from nnx_codemods._sown.options import check_options
from nnx_codemods._sown.refusal import NotCaptured, SownCause
from nnx_codemods._sown.residual_before_call import check_no_residual_sow
from nnx_codemods._sown.sowing import OF_ARRAYS, RULE_NAME, SOWN_UNDER, Sown, may_sow, sown_by, sows
from nnx_codemods._sown.types import check_not_read, sown_type
from nnx_migrate.analysis.domain.values import ARRAY, PLAIN, Scope
from nnx_migrate.analysis.effects.causes import Cause, MethodUnknown, PassedTo, UpdateAdds
from nnx_migrate.analysis.effects.reachability import is_attribute
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.rewrite.model.context import FileContext, remembered
from nnx_migrate.rewrite.model.decisions import NotRewritten
from nnx_migrate.rewrite.model.functions import definition_of, given_parameters
from nnx_migrate.rewrite.model.sown_plans import CapturePlan
from nnx_migrate.rewrite.planner.regions import covered_by_setters


@dataclasses.dataclass(frozen=True, slots=True)
class Captured:
    """A function whose sown values become a result of it, and how.

    Args:
        scope: the function.
        parameter: the object in it.
    """

    scope: Scope
    parameter: str
    plan: CapturePlan


@remembered
def captured(context: FileContext) -> Mapping[Site, Captured]:
    """The sites of a file that nnx.capture serves."""
    found: dict[Site, Captured] = {}
    if not may_sow(context.project) or not context.options.runs(RULE_NAME):
        return found
    for site in context.finder.sites:
        if site.transform not in SOWN_UNDER or not sows(context, site):
            continue
        if site.decided or covered_by_setters(context, site.node):
            continue
        try:
            found[site] = _captured(context, site)
        except NotRewritten:
            continue
    collected = {each.scope: each.parameter for each in found.values()}
    for site, each in list(found.items()):
        try:
            check_no_residual_sow(context, each.plan.calls, collected)
        except NotRewritten:
            del found[site]
    return found


def _captured(context: FileContext, site: Site) -> Captured:
    definition = definition_of(context, site.function)
    if not isinstance(definition, ast.FunctionDef | ast.Lambda):
        raise NotCaptured(SownCause.NOT_IN_FILE)
    if len(getattr(definition, "decorator_list", ())) > 1:
        raise NotCaptured(SownCause.OTHER_DECORATORS)
    output = check_options(context, site)
    loss = site.spec.differentiates
    if output.by_axes or (output.in_pair and not loss) or (output.options and not loss):
        raise NotCaptured(SownCause.JOINS_OUTPUTS)
    scope = context.tree.scope_of(definition)
    parameter, sown = _sown_first(context, site, scope)
    _check_runs_module(context, scope)
    forward: ast.Call | None = None
    if loss:
        if isinstance(definition, ast.Lambda):
            raise NotCaptured(SownCause.IS_LAMBDA)
        forward = captured_pass(context, definition, parameter, in_pair=output.in_pair)
    calls = tuple(popped_behind(context, use) for use in uses_of(context, site, definition))
    kind = sown_type(context, site, sown, calls)
    reached = context.analysis.extents.reached((scope,))
    around = {context.tree.scope(call.use) for call in calls}
    check_not_read(context, {each.name for each in sown}, {scope, *around, *reached})
    for call in calls:
        check_not_interrupted(context, call)
    plan = CapturePlan(kind, calls, forward, output.in_pair, output.options)
    return Captured(scope, parameter, plan)


def _sown_first(context: FileContext, site: Site, scope: Scope) -> tuple[str, tuple[Sown, ...]]:
    """The first parameter, and what is sown on it; nothing else happens to any of them."""
    parameter, found = "", list[Sown]()
    for index, name, values in given_parameters(context, site, scope):
        if index != 0 and values and values <= ARRAY | PLAIN:
            continue
        parameter = name if index == 0 else parameter
        for effect in sorted(context.effects_of(scope, name), key=lambda e: e.order):
            sown = list(sown_by(context, effect)) if index == 0 else []
            if isinstance(effect.cause, UpdateAdds) or any(not each.name for each in sown):
                raise NotCaptured(SownCause.EFFECT.about(effect.where, what=effect.what))
            kept = effect.kind == "escape" or _is_harmless(effect.cause)
            if not sown and (index == 0 or effect.sows or not kept):
                raise NotCaptured(SownCause.EFFECT.about(effect.where, what=effect.what))
            found += sown
    if not found:
        raise NotCaptured(SownCause.NOT_ON_FIRST)
    return parameter, tuple(found)


def _is_harmless(cause: Cause) -> bool:
    """Whether it is sown, or an array for all that is known."""
    match cause:
        case PassedTo(called="sow"):
            return True
        case MethodUnknown(name=name):
            return name in OF_ARRAYS
        case _:
            return False


def _check_runs_module(context: FileContext, scope: Scope) -> None:
    """Nothing in a function that sows depends on the mode."""
    for obstacle in context.analysis.extents.obstacles((scope,), OF_ARRAYS, transformed=True):
        if not is_attribute(obstacle, "sow"):
            raise NotCaptured(SownCause.RUNS_MORE.about(obstacle=obstacle))
