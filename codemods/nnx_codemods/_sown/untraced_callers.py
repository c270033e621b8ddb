"""Calls that are not traced, of what sows through transforms: `nnx.capture` goes around each."""

from __future__ import annotations

import ast
import dataclasses

from nnx_codemods._callers.passing_calls import Call
from nnx_codemods._sown.collectors import Outlets
from nnx_codemods._sown.pops.exceptional_exits import check_not_caught
from nnx_codemods._sown.pops.forward_calls import NotCaptured
from nnx_codemods._sown.propagation import Route
from nnx_codemods._sown.residual_state.nothing_left import check_nothing_left
from nnx_codemods._sown.sowing import Sowing, Sown, check_runs_module, sown_by
from nnx_codemods._sown.types import check_names, sown_type
from nnx_migrate.analysis.domain.values import Scope
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.sown_plans import CapturedCall, CapturePlan


@dataclasses.dataclass(frozen=True, slots=True)
class PassedUp:
    """What layers sow is collected further out.

    Args:
        plan: the calls that are put under capture for it; None when that is so already, or done
            for the transforms around.
        unseen: why there might be more calls, which is taken not to be.
        assumed: why something might be sown on the object before, which is taken not to be.
    """

    plan: CapturePlan | None
    unseen: tuple[str, ...] = ()
    assumed: tuple[str, ...] = ()


def passed_up_by(context: FileContext, outlets: Outlets) -> PassedUp:
    """How what layers sow gets out.

    Raises:
        NotCaptured: `nnx.capture` would not give what `nnx.pop` does.
    """
    if not outlets.popped:
        return PassedUp(None, outlets.assumed)
    pairs = tuple(pair for pair, _ in outlets.popped)
    sown: list[Sown] = []
    for scope in dict.fromkeys(scope for _, scope in outlets.popped):
        parameter = outlets.through[scope]
        own = _sown_on(context, scope, parameter)
        called = tuple(Call(pair.use, context.where_it_is(pair.module)) for pair in pairs)
        route = Route(dict(outlets.through), pairs)
        check_names(context, Sowing(scope, parameter, own, called), route)
        check_runs_module(context, scope)
        sown += own
    kind = sown_type(context, None, sown, pairs)
    for pair in pairs:
        there = context.where_it_is(pair.module)
        _check_tree(there, pair)
        # An exception leaves on the object what capture puts there.
        check_not_caught(there, pair.use)
    assumed = check_nothing_left(context, pairs, outlets.through)
    plan = CapturePlan((kind,), pairs, around_calls=True)
    return PassedUp(plan, outlets.assumed, assumed)


def _sown_on(context: FileContext, scope: Scope, parameter: str) -> tuple[Sown, ...]:
    """What a function sows on a parameter; nothing else happens to that."""
    sown: list[Sown] = []
    for effect in sorted(context.analysis.effects.of(scope, parameter), key=lambda e: e.order):
        found = list(sown_by(context, effect))
        if not found:
            raise NotCaptured(f"{effect.what} ({effect.where})")
        sown += found
    return tuple(sown)


def _check_tree(context: FileContext, pair: CapturedCall) -> None:
    """Capture walks over the object, which tree mode does over trees alone."""
    assert pair.pop is not None
    model = pair.pop.args[0]
    assert isinstance(model, ast.Name)
    shared = context.analysis.sharing.of(context.values(model))
    if shared:
        raise NotCaptured(f"nnx.capture takes nothing but trees: {shared}")
