"""Where what a function sows can be popped in it and put back behind its call.

No value needs to be followed for it: whatever lies on the object, before the call and behind it,
is there as it was.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping

from nnx_codemods._callers.traced_calls import check_used_here
from nnx_codemods._sown.forward_call import only_return
from nnx_codemods._sown.options import check_options
from nnx_codemods._sown.refusal import NotCaptured, SownCause
from nnx_codemods._sown.residual_state.calls import (
    calls_to_restore,
    check_restorable,
    stands_alone,
    twin_name,
)
from nnx_codemods._sown.residual_state.restored import without_restored
from nnx_codemods._sown.residual_state.under_capture import (
    capturing_files,
    check_not_under_capture,
)
from nnx_codemods._sown.sowing import (
    INTERMEDIATE,
    RULE_NAME,
    SOWN_UNDER,
    may_sow,
    sown_by,
    sows,
)
from nnx_codemods._sown.types import check_only_sown, name_at
from nnx_migrate.analysis.domain.values import ClassValue, Scope
from nnx_migrate.analysis.effects.causes import VariableAdded
from nnx_migrate.analysis.effects.effect import Effect
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.core.refusal import Refusal
from nnx_migrate.rewrite.model.context import FileContext, remembered
from nnx_migrate.rewrite.model.decisions import NotRewritten
from nnx_migrate.rewrite.model.functions import (
    definition_of,
    given_parameters,
    is_owned,
)
from nnx_migrate.rewrite.model.sown_plans import PutBack, SownType
from nnx_migrate.rewrite.planner.regions import covered_by_setters


@remembered
def put_back(context: FileContext) -> Mapping[Site, PutBack | Refusal]:
    """The sites of a file whose functions sow: what is to be done, or in words why it is not."""
    found: dict[Site, PutBack | Refusal] = {}
    if not may_sow(context.project) or not context.options.runs(RULE_NAME):
        return found
    for site in context.finder.sites:
        if site.form != "call" or site.transform not in SOWN_UNDER or not sows(context, site):
            continue
        if site.decided or covered_by_setters(context, site.node):
            continue
        try:
            found[site] = _plan(context, site)
        except NotRewritten as missing:
            found[site] = missing.refusal
    return found


def _plan(context: FileContext, site: Site) -> PutBack:
    definition = definition_of(context, site.function)
    if not isinstance(definition, ast.Lambda | ast.FunctionDef):
        raise NotCaptured(SownCause.NOT_IN_FILE)
    if not is_owned(context, site, definition):
        check_used_here(context, site, definition)
    result = definition.body if isinstance(definition, ast.Lambda) else None
    if isinstance(definition, ast.FunctionDef):
        result = only_return(context, definition)
    place, parameter, types, renewed = sown_on(context, site, context.tree.scope_of(definition))
    if renewed:
        raise NotCaptured(SownCause.SET_ANEW)
    output = check_options(context, site, place)
    if output.in_pair and not (isinstance(result, ast.Tuple) and len(result.elts) == 2):
        raise NotCaptured(SownCause.RESULT_NO_PAIR)
    uses, twin = calls_to_restore(context, site), ""
    if len(uses) != 1 or not stands_alone(context, uses[0]):
        twin = twin_name(context, site, definition)
    if not twin and not uses:
        raise NotCaptured(SownCause.HIDDEN_CALLS)
    for use in () if twin else uses:
        check_restorable(context, use, place)
    return PutBack(
        definition,
        parameter,
        place,
        uses,
        types,
        output.in_pair,
        output.by_axes,
        output.options,
        twin,
    )


def sown_on(
    context: FileContext, site: Site, scope: Scope
) -> tuple[int, str, tuple[SownType, ...], bool]:
    """The one parameter that a function sows on, and does nothing else to, and the types; and
    whether Variables of theirs may take the place of others."""
    check_not_under_capture(context, scope)
    found: list[tuple[int, str, list[Effect]]] = []
    for index, name, _ in given_parameters(context, site, scope):
        left = without_restored(context, context.effects_of(scope, name))
        effects = sorted(left, key=lambda e: e.order)
        if any(effect.sows for effect in effects):
            if index is None:
                raise NotCaptured(SownCause.SOWN_BY_KEYWORD.about(name=name))
            found.append((index, name, effects))
    if len(found) != 1:
        raise NotCaptured(SownCause.SEVERAL_OBJECTS)
    ((index, name, effects),) = found
    types: set[ClassValue] = set()
    for effect in effects:
        sown = list(sown_by(context, effect))
        if not sown:
            raise NotCaptured(SownCause.EFFECT.about(effect.where, what=effect.what))
        for each in sown:
            kinds = [v for v in each.types if isinstance(v, ClassValue)]
            if len(kinds) != 1 or len(each.types) != 1:
                raise NotCaptured(SownCause.TYPE_NOT_KNOWN_AT.about(each.where))
            types.update(kinds)
    for kind in types:
        check_only_sown(context, kind.class_name)
    ancestry = context.evaluator.hierarchy.ancestry
    alone = [k for k in types if not types & {*map(ClassValue, ancestry(k.class_name).classes[1:])}]
    named = sorted((_named(context, site, kind) for kind in alone), key=lambda t: t.name)
    renewed = any(isinstance(effect.cause, VariableAdded) for effect in effects)
    if renewed and capturing_files(context):
        raise NotCaptured(SownCause.UNDER_CAPTURE)
    return index, name, tuple(named), renewed


def _named(context: FileContext, site: Site, kind: ClassValue) -> SownType:
    if kind.class_name == INTERMEDIATE:
        return SownType("Intermediate", True)
    return SownType(name_at(context, site, kind), False)
