"""Values that a function sows and pops itself, where nobody sees all calls of it.

Where something sown lies on the object before, graph mode takes it off and tree mode does not. A
check in the new code finds that: then the object has less when the function ends than when it
began. So the check takes the place of a proof, but where code in sight leaves sown values on the
object: there it would raise.
"""

from __future__ import annotations

from collections.abc import Iterator

from nnx_codemods._sown.residual_state.popped_inside import comes_clean
from nnx_codemods._sown.sowing import sown_by
from nnx_codemods._sown.types import check_only_sown
from nnx_migrate.analysis.domain.values import (
    ClassValue,
    Instance,
    Located,
    ParameterOf,
    Scope,
)
from nnx_migrate.analysis.effects.causes import changes_by
from nnx_migrate.analysis.effects.effect import NO_EFFECTS, Effect, Effects
from nnx_migrate.analysis.effects.popped import popped_types
from nnx_migrate.analysis.effects.transfer import UnbalancedTracker
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.residual_sow import ResidualSowFinder
from nnx_migrate.core.place import Place
from nnx_migrate.rewrite.model.context import FileContext, remembered
from nnx_migrate.rewrite.model.decisions import NotRewritten


@remembered
def pops_to_check(context: FileContext, scope: Scope, parameter: str) -> Effects:
    """The pops of a function off an object, where a check can see that nothing lay there before.

    Returns:
        Nothing where nothing is to be checked, because all calls pass clean objects, or the check
        would raise: where something stays sown, where a pop is not in the function itself behind
        what sows its type, where objects are made with such Variables, or where code in sight
        leaves some on what it passes.
    """
    effects = context.effects_of(scope, parameter)
    pops = frozenset(effect for effect in effects if changes_by(effect.cause, "pop"))
    if not pops or any(effect.sows for effect in effects):
        return NO_EFFECTS
    if comes_clean(context, scope, parameter):
        return NO_EFFECTS
    function = context.project.function(scope)
    own = {Place(scope.module, call.line) for _, call in function.pops}
    if not own.issuperset(effect.where for effect in pops):
        return NO_EFFECTS
    sown = [*_sown_by_line(context, scope, parameter)]
    for _, pop in function.pops:
        taken = popped_types(context.evaluator, scope, pop)
        if not all(_is_only_sown(context, each) for each in taken):
            return NO_EFFECTS
        if not any(line <= pop.line and _is_taken(context, each, taken) for line, each in sown):
            return NO_EFFECTS
    finder = ResidualSowFinder(context.analysis, {})
    if finder.on_new() is not None or _is_left(context, finder, scope, parameter, set()):
        return NO_EFFECTS
    return pops


def _is_only_sown(context: FileContext, class_name: str) -> bool:
    """Whether no object has Variables of a type before something is sown on it."""
    try:
        check_only_sown(context, class_name)
    except NotRewritten:
        return False
    return True


def _sown_by_line(
    context: FileContext, scope: Scope, parameter: str
) -> Iterator[tuple[int, Effect]]:
    """What is sown in a function on its parameter, whatever it pops later, with the lines."""
    tracker = UnbalancedTracker(context.analysis.effects, scope, parameter)
    for where, line, effect in tracker.placed():
        if effect.sows and where == scope:
            yield line, effect


def _is_taken(context: FileContext, effect: Effect, taken: frozenset[str]) -> bool:
    """Whether a pop of these types takes what is sown."""
    kinds = {kind for sown in sown_by(context, effect) for kind in sown.types}
    ancestry = context.evaluator.hierarchy.ancestry
    return any(
        isinstance(kind, ClassValue) and not taken.isdisjoint(ancestry(kind.class_name).classes)
        for kind in kinds
    )


def _is_left(
    context: FileContext,
    finder: ResidualSowFinder,
    scope: Scope,
    parameter: str,
    seen: set[tuple[Scope, str]],
) -> bool:
    """Whether code in sight leaves sown values on what calls in sight give for a parameter."""
    if (scope, parameter) in seen:
        return False
    seen.add((scope, parameter))
    function = context.project.function(scope)
    for own in function.parameters:
        if own.name != parameter:
            continue
        for given in context.evaluator.callers.arguments(scope, function, own):
            root = ir.root_name(given.expr)
            if root is not None and _is_left_on(context, finder, given.scope, root.id, seen):
                return True
    return False


def _is_left_on(
    context: FileContext,
    finder: ResidualSowFinder,
    scope: Scope,
    name: str,
    seen: set[tuple[Scope, str]],
) -> bool:
    """Whether code in sight leaves sown values on what a name holds, or a part of it."""
    for binding in context.project.bindings(scope, name):
        match binding:
            case ParameterOf(scope=holder):
                if any(effect.sows for effect in finder.effects.inside(holder, name)):
                    return True
                if _is_left_on_self(context, finder, holder, name):
                    return True
                if _is_left(context, finder, holder, name, seen):
                    return True
            case Located(scope=holder):
                if any(effect.sows for _, _, effect in finder.sown_by_line(holder, name)):
                    return True
    return False


def _is_left_on_self(
    context: FileContext, finder: ResidualSowFinder, scope: Scope, name: str
) -> bool:
    """Whether another method of the object that a method is of leaves sown values on its parts."""
    function = context.project.function(scope)
    if function.owner is None or function.parameters[0].name != name:
        return False
    hierarchy = context.evaluator.hierarchy
    below = hierarchy.classes_of(Instance(f"{scope.module}:{function.owner}"))
    classes = {each for name in below for each in hierarchy.ancestry(name).classes}
    for class_name in classes:
        located = context.project.class_of(class_name)
        if located is None:
            continue
        module, record = located
        for key in record.methods.values():
            if any(effect.sows for effect in finder.effects.of_own_parameter(Scope(module, key))):
                return True
    return False
