"""Calls that are not traced, of what sows through transforms: `nnx.capture` goes around each."""

from __future__ import annotations

import ast
import dataclasses

from codemods._forward import NotCaptured
from codemods._nothing_left import check_nothing_left
from codemods._outlets import Outlets
from codemods._passing_calls import Call
from codemods._routes import Route
from codemods._sown import Sowing, Sown, check_runs_module, sown_by
from codemods._sown_values import check_names, sown_type
from codemods._ways_in import importing
from nnx_migrate.facts.values import FunctionValue, Scope
from nnx_migrate.rewrite.context import FileContext
from nnx_migrate.rewrite.plan import CapturedCall, CapturePlan


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
        _check_not_caught(there, pair)
    assumed = check_nothing_left(context, pairs, outlets.through)
    plan = CapturePlan((kind,), pairs, around_calls=True)
    return PassedUp(plan, outlets.assumed, assumed)


def _sown_on(context: FileContext, scope: Scope, parameter: str) -> tuple[Sown, ...]:
    """What a function sows on a parameter; nothing else happens to that."""
    sown: list[Sown] = []
    for effect in sorted(context.analysis.effects.of(scope, parameter), key=str):
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


def _check_not_caught(context: FileContext, pair: CapturedCall) -> None:
    """Nobody goes on after an exception, which leaves on the object what capture puts there."""
    scope = context.tree.scope(pair.use)
    _check_not_caught_in(context, scope)
    for other in importing(context):
        there = context.at(other)
        if there is None:
            raise NotCaptured(f"it may be run from {context.project.path_of(other)} too")
        _check_not_caught_in(there, scope)


def _check_not_caught_in(context: FileContext, scope: Scope) -> None:
    for node in context.tree.nodes:
        if not isinstance(node, ast.Try | ast.TryStar | ast.With):
            continue
        heads = [item.context_expr for item in getattr(node, "items", ())]
        if heads and not any(_swallows(head) for head in heads):
            continue
        called = (n.func for each in node.body for n in ast.walk(each) if isinstance(n, ast.Call))
        scopes = {
            v.scope for f in called for v in context.values(f) if isinstance(v, FunctionValue)
        }
        if scope in context.analysis.extents.reached(tuple(sorted(scopes, key=str))):
            raise NotCaptured(f"an exception in it may be caught in {context.where(node)}")


def _swallows(head: ast.expr) -> bool:
    func = head.func if isinstance(head, ast.Call) else head
    last = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
    return last in {"suppress", "raises", "assertRaises", "assertRaisesRegex", "ExitStack"}
