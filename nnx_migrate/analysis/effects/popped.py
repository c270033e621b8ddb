"""What is sown in a function and popped in it again, on every way through it, is no change of it.

What remains is that it pops: values that lay on the object before are gone then, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from nnx_migrate.analysis.domain.values import (
    ClassValue,
    FunctionValue,
    Located,
    ParameterOf,
    Scope,
    Values,
)
from nnx_migrate.analysis.effects.causes import (
    FunctionChanges,
    KeywordAsks,
    UpdateAdds,
    VariableAdded,
    changes_by,
    changes_by_method,
)
from nnx_migrate.analysis.effects.effect import Effect
from nnx_migrate.analysis.effects.summary import EffectFinder
from nnx_migrate.analysis.interp.interpreter import Evaluator
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.symbols.program import Project
from nnx_migrate.core.place import Place

_INTERMEDIATE = "flax.nnx.Intermediate"


class Popped:
    """The values that a function pops off one of its parameters, whatever happens in it.

    Args:
        scope: the function.
        parameter: the name of the object in it.
    """

    def __init__(self, finder: EffectFinder, scope: Scope, parameter: str) -> None:
        self.evaluator = finder.evaluator
        self.hierarchy = finder.hierarchy
        self.project = finder.project
        self.scope = scope
        self.pops: list[tuple[int, frozenset[str]]] = []
        pops = finder.project.function(scope).pops
        if not pops or not _is_one(finder.project.bindings(scope, parameter), scope):
            return
        for before, call in pops:
            if _pops(finder.project, scope, call) and call.args[0] == ir.Name(parameter):
                self.pops.append((before, popped_types(finder.evaluator, scope, call)))

    def left(self, place: int, effects: Iterable[Effect]) -> Iterator[Effect]:
        """The effects of a call that are still there at the end.

        Args:
            place: that of the call among those of the function.
        """
        after = [types for before, types in self.pops if place < before]
        merged: bool | None = None
        for effect in effects:
            is_call = isinstance(effect.cause, FunctionChanges)
            if effect.sows or (is_call and changes_by(effect.cause, "pop")):
                merged = self._is_of_merged(place) if merged is None else merged
                if merged:
                    continue  # on an object that was made here: no State has more or less by it
            if not (effect.sows and after and self._is_popped(effect, frozenset().union(*after))):
                yield effect

    def _is_of_merged(self, place: int) -> bool:
        """Whether a call is one of, or on, what the function makes by `nnx.merge` itself."""
        call = self.project.function(self.scope).calls[place]
        root = ir.root_name(call.args[0] if _pops(self.project, self.scope, call) else call.func)
        bound = self.project.bindings(self.scope, root.id) if root is not None else []
        match bound:
            case [Located(scope=made_in, expr=ir.Call(func=func))] if made_in == self.scope:
                return self.project.nnx_name(made_in, func) == "merge"
            case _:
                return False

    def _is_popped(self, effect: Effect, types: frozenset[str]) -> bool:
        sown = self._sown(effect)
        return bool(sown) and all(
            isinstance(value, ClassValue)
            and not types.isdisjoint(self.hierarchy.ancestry(value.class_name).classes)
            for value in sown
        )

    def _sown(self, effect: Effect) -> Values:
        """What the types are of what an effect sows; nothing where they are not known."""
        match effect.cause:
            case KeywordAsks(sows=True):
                return frozenset({ClassValue(_INTERMEDIATE)})
            case UpdateAdds(types=added):
                return frozenset(map(ClassValue, added))
            case VariableAdded(type=added):
                return frozenset({ClassValue(added)})
        found: Values = frozenset()
        if changes_by_method(effect.cause, "sow"):
            for scope, call in self.evaluator.callers.mentions.calls_of("sow"):
                if Place(scope.module, call.line) == effect.where:
                    types = self.evaluator.values(scope, call.args[0]) if call.args else None
                    if not types:
                        return frozenset()
                    found |= types
        return found


def popped_types(evaluator: Evaluator, scope: Scope, call: ir.Call) -> frozenset[str]:
    """The classes by which a pop takes Variables; a filter of another kind may take none."""
    found: set[str] = set()
    filters: list[ir.Expr] = []
    for given in call.args[1:]:  # a tuple of types takes any of them
        filters += given.elements if isinstance(given, ir.Sequence) else [given]
    for given in filters:
        values = evaluator.values(scope, given)
        if len(values) == 1:
            found |= {v.class_name for v in values if isinstance(v, ClassValue)}
    return frozenset(found)


def types_given(evaluator: Evaluator, scope: Scope, state: ir.Expr) -> frozenset[str]:
    """The classes of what was popped, where a State comes out of a call of what pops it."""
    project = evaluator.project
    bound = project.bindings(scope, state.id) if isinstance(state, ir.Name) else ()
    found: frozenset[str] = frozenset()
    for binding in bound:
        call = binding.expr if isinstance(binding, Located) else None
        while isinstance(call, ir.Unpacked):
            call = call.base
        if not isinstance(binding, Located) or not isinstance(call, ir.Call):
            continue
        if call is binding.expr and _pops(project, binding.scope, call):
            found |= popped_types(evaluator, binding.scope, call)
        popped, called = _popped_in(evaluator, binding.scope, call)
        if (
            not popped
        ):  # by what that calls: a loss that takes States merges them, and calls another
            nested = (_popped_in(evaluator, scope, each)[0] for scope, each in called)
            popped = frozenset().union(*nested)
        found |= popped
    return found


def call_giving(project: Project, scope: Scope, update: ir.Call) -> ir.Call | None:
    """The one call of this function that the State comes out of that an update writes, as it is."""
    state = update.args[-1]
    if _is_used(project.function(scope), state, update):
        return None
    match project.bindings(scope, state.id) if isinstance(state, ir.Name) else ():
        case [Located(scope=given_in, expr=ir.Unpacked(base=ir.Call() as call))] | [
            Located(scope=given_in, expr=ir.Call() as call)
        ] if given_in == scope:
            return call
        case _:
            return None


def _is_used(function: ir.Function, state: ir.Expr, update: ir.Call) -> bool:
    """Whether anything but an update may change what a name holds."""
    stored = (write for write in function.writes if state in (write.target, write.value))
    renamed = (state in bound for bound in function.bindings.values())
    within = (ir.root_name(write.target) == state for write in function.writes)
    if any(stored) or any(renamed) or any(within):
        return True
    return any(
        state in (ir.root_name(call.func), *call.args, *(value for _, value in call.keywords))
        for call in function.calls
        if call is not update
    )


def popped_parameters(project: Project, scope: Scope) -> set[str]:
    """The parameters that a function pops values off; "" for anything else that it pops off."""
    function = project.function(scope)
    names = {each.name for each in function.parameters}
    found: set[str] = set()
    for each in project.within(scope):
        for call in project.function(each).calls:
            if _pops(project, each, call):
                name = call.args[0].id if isinstance(call.args[0], ir.Name) else ""
                is_own = each == scope and name in names
                found.add(name if is_own and _is_one(project.bindings(scope, name), scope) else "")
    return found


def _popped_in(
    evaluator: Evaluator, scope: Scope, call: ir.Call
) -> tuple[frozenset[str], list[tuple[Scope, ir.Call]]]:
    """The classes of what the functions that a call runs pop, and the calls in these."""
    project = evaluator.project
    found: frozenset[str] = frozenset()
    called: list[tuple[Scope, ir.Call]] = []
    for value in evaluator.values(scope, call.func):
        for each in project.within(value.scope) if isinstance(value, FunctionValue) else ():
            function = project.function(each)
            called += [(each, inner) for inner in function.calls]
            for _, pop in function.pops:
                if _pops(project, each, pop):
                    found |= popped_types(evaluator, each, pop)
    return found, called


def _pops(project: Project, scope: Scope, call: ir.Call) -> bool:
    return bool(call.args) and project.nnx_name(scope, call.func) in {"pop", "compat.pop"}


def _is_one(bindings: Sequence[object], scope: Scope) -> bool:
    """Whether a name is a parameter of the function all the time."""
    return [isinstance(each, ParameterOf) and each.scope == scope for each in bindings] == [True]
