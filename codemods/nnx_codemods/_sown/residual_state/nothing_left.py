"""Whether anything sown lies on an object already when what sows on it is called."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from nnx_codemods._callers.known_calls import all_calls
from nnx_codemods._sown.pops.forward_calls import NotCaptured
from nnx_codemods._sown.pops.pairs import is_cleared_before
from nnx_codemods._sown.propagation import route_of
from nnx_codemods._sown.sowing import SOWN_UNDER, sowing_of, sows
from nnx_migrate.analysis.domain.values import Scope
from nnx_migrate.analysis.residual_sow import LeftoverFinder
from nnx_migrate.core.permissions import Permission
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import NotRewritten
from nnx_migrate.rewrite.model.sown_plans import CapturedCall


def check_nothing_left(
    context: FileContext,
    pairs: Sequence[CapturedCall],
    through: Mapping[Scope, str] = MappingProxyType({}),
) -> tuple[str, ...]:
    """Nothing sown lies on the object yet when the function is called, but for what is assumed.

    Args:
        through: more functions all of whose calls are followed by nnx.pop.

    Raises:
        NotCaptured: something may.
    """
    by_file: dict[str, list[CapturedCall]] = {}
    for pair in pairs:
        by_file.setdefault(pair.module, []).append(pair)
    found = [
        _check_file(context.where_it_is(module), own, through) for module, own in by_file.items()
    ]
    return tuple(dict.fromkeys(each for assumed in found for each in assumed))


def _check_file(
    context: FileContext, pairs: Sequence[CapturedCall], through: Mapping[Scope, str]
) -> list[str]:
    unsafe = context.options.allows(Permission.UNKNOWN_ORIGIN)
    collected = _collected(context) | dict(through)
    finder = LeftoverFinder(context.analysis, collected, trusting=unsafe)
    for pair in pairs:
        if is_cleared_before(context, pair):
            continue
        model = (pair.use if pair.pop is None else pair.pop).args[0]
        assert isinstance(model, ast.Name)
        reason = finder.on(context.tree.scope(model), model.id)
        if reason:
            raise NotCaptured(reason)
    assumed = list(finder.trusted)
    for scope in sorted(finder.holders, key=str):
        try:
            _check_holder(context, scope)
        except NotRewritten as unseen:
            if not unsafe:
                raise
            assumed.append(str(unseen))
    return assumed


def _check_holder(context: FileContext, scope: Scope) -> None:
    """All calls of a function that is given the object are to be seen."""
    there = context.at(scope.module)
    holder = None if there is None else there.tree.functions.get(scope.function)
    if there is None or not isinstance(holder, ast.FunctionDef):
        raise NotCaptured("it is called from other files too")
    all_calls(there, holder, holder.name)


def _collected(context: FileContext) -> dict[Scope, str]:
    """The functions of this file all of whose calls are followed by nnx.pop."""
    found: dict[Scope, str] = {}
    for site in context.finder.sites:
        if site.transform in SOWN_UNDER and sows(context, site):
            try:
                found |= route_of(context, sowing_of(context, site)).sowing
            except NotRewritten:
                continue
    return found
