"""Whether sown values may lie on an object when a function is called that sows more of them.

What pops them afterwards then gets them all, which `nnx.capture` would not give.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator, Mapping, Sequence

from nnx_migrate.analysis.domain.values import (
    ClassValue,
    FunctionValue,
    Instance,
    Located,
    ParameterOf,
    Scope,
    scope_around,
)
from nnx_migrate.analysis.effects.aliases.keepers import stored_in
from nnx_migrate.analysis.effects.aliases.may_alias import Aliases
from nnx_migrate.analysis.effects.causes import Cause, UpdateAdds, changes_by, changes_by_method
from nnx_migrate.analysis.effects.effect import NO_EFFECTS, Effect, Effects
from nnx_migrate.analysis.effects.summary import EffectFinder
from nnx_migrate.analysis.effects.transfer import Tracker
from nnx_migrate.analysis.facts import Analysis
from nnx_migrate.analysis.flax.transforms import SPLITTERS, of_nnx, spec
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.core import refusal
from nnx_migrate.core.place import Place
from nnx_migrate.core.refusal import Refusal

#: Variables, and functions under no name, that are being followed.
_Seen = frozenset[tuple[Scope, str]]
#: Transforms that functions which make objects may be under.
_MAKING = of_nnx(lambda t: (t.gives_back and not t.carries) or t.splits_rngs)
#: Changes that leave no value of a sown type behind.
_CLEAN = frozenset({"train", "eval", "set_attributes", "set_metadata"})
_CLEAN_FUNCTIONS = _CLEAN | SPLITTERS | {"pop"}


@enum.unique
class ResidualCause(refusal.Cause):
    """Why sown values may lie on an object before it is used; {what} is told by an effect."""

    NOT_ONE_OBJECT = "{name} is not always the same object"
    CALLS_NOT_FOLLOWED = (
        "{function} is a method or decorated, so nnx-migrate cannot follow its calls"
    )
    NO_CALL_SHOWS = "no call of {function} shows where {name} comes from"
    ORIGIN_NOT_FOLLOWED = "nnx-migrate cannot tell where {name} is made"
    CLASS_NOT_KNOWN = "the class of {name} is unknown"
    BASES_NOT_KNOWN = "not all base classes of {name} are known"
    RETURN_NOT_SHOWN = "{function} does not show what it returns"
    RETURNS_SHARED = "{function} returns an object that other code may have too"
    CONSTRUCTOR_SOWS = "the constructor of {name} sows"
    SOWN_ELSEWHERE = "other code also sows on {name} ({place})"
    MAY_BE_SOWN_ON = "other code may sow on {name}: {what} ({place})"


class _KeptAliases(Aliases):
    """What was popped is no part of the object any more."""

    def escapes(self, scope: Scope, value: ir.Expr, seen: frozenset[str] = frozenset()) -> bool:
        call = value.base if isinstance(value, ir.Unpacked) else value
        if isinstance(call, ir.Call) and self.project.nnx_name(scope, call.func) == "pop":
            return False
        return super().escapes(scope, value, seen)


class _CautiousTracker(Tracker):
    """Counts what may add to an object too: `nnx.update` with more than it has."""

    follows = _KeptAliases

    def to_library(
        self, scope: Scope, dotted: str, call: ir.Call, given: list[int], where: Place
    ) -> Iterator[Effect]:
        effects = list(super().to_library(scope, dotted, call, given, where))
        told = any(isinstance(e.cause, UpdateAdds) and e.cause.types for e in effects)
        if dotted == "flax.nnx.update" and 0 in given and not told:
            yield Effect("unknown", UpdateAdds(""), where)
        yield from effects


class _UnbalancedTracker(_CautiousTracker):
    """Tells what lies on the object at any point: a pop may come behind that."""

    balances = False


class CollectingEffects(EffectFinder):
    """Effects of functions where what some of them sow is popped right after each call.

    Args:
        collected: these functions, each with the parameter that it sows on.
    """

    def __init__(self, analysis: Analysis, collected: Mapping[Scope, str]) -> None:
        super().__init__(analysis.evaluator, analysis.contents)
        self.collected = collected

    def of(self, scope: Scope, parameter: str) -> Effects:
        if self.collected.get(scope) == parameter:
            return NO_EFFECTS
        return super().of(scope, parameter)

    def gives_back(self, scope: Scope, parameter: str) -> bool:
        return self.collected.get(scope) != parameter and super().gives_back(scope, parameter)

    def inside(self, scope: Scope, parameter: str) -> Effects:
        """The effects of a function at any point in it, those too that it pops again later."""
        if self.collected.get(scope) == parameter:
            return NO_EFFECTS
        inside = _UnbalancedTracker(self, scope, parameter).all()
        return self.of(scope, parameter) | inside

    def _unbalanced(self, scope: Scope, parameter: str) -> Effects:
        return _UnbalancedTracker(self, scope, parameter).all()

    def _gives_back(self, scope: Scope, parameter: str) -> bool:
        return _CautiousTracker(self, scope, parameter).gives_back()

    def _stored_by(self, scope: Scope, parameter: str, keeper: str) -> frozenset[str]:
        return stored_in(_KeptAliases(self, scope, parameter), scope, ir.Name(keeper))

    def _tracked(self, scope: Scope, parameter: str) -> Effects:
        return _CautiousTracker(self, scope, parameter).all()


class _VariableAliases(_KeptAliases):
    """Follows a variable of a function, not a parameter."""

    def _is_rooted(self, scope: Scope, expr: ir.Expr) -> bool:
        if expr == ir.Name(self.parameter):
            bindings = self.project.bindings(scope, self.parameter)
            if any(isinstance(b, Located) and b.scope == self.scope for b in bindings):
                return True
        return super()._is_rooted(scope, expr)


class _VariableTracker(_UnbalancedTracker):
    follows = _VariableAliases


class ResidualSowFinder:
    """Follows an object from where it is used back to where it is made.

    Args:
        collected: functions after each call of which what they sow on a parameter is popped.
    """

    def __init__(self, analysis: Analysis, collected: Mapping[Scope, str]) -> None:
        self.analysis = analysis
        self.project = analysis.project
        self.evaluator = analysis.evaluator
        self.effects = CollectingEffects(analysis, collected)
        self._holders: set[Scope] = set()

    def on(self, scope: Scope, name: str) -> Refusal | None:
        """Why sown values may lie on what a variable holds; None when they cannot."""
        return self._on(scope, name, frozenset())

    def _on(self, scope: Scope, name: str, seen: _Seen) -> Refusal | None:
        """The same, where it was asked on the way from those seen: these tell the rest."""
        bindings = self.project.bindings(scope, name)
        if len(bindings) != 1:
            return ResidualCause.NOT_ONE_OBJECT.about(name=name)
        (binding,) = bindings
        if (binding.scope, name) in seen:
            return None
        seen |= {(binding.scope, name)}
        if isinstance(binding, ParameterOf):
            return self._on_parameter(binding.scope, name, seen)
        left = harm(_VariableTracker(self.effects, binding.scope, name).effects())
        if left is not None:
            return _told(left, name)
        return self._on_made(binding.scope, binding.expr, name, seen)

    def sown_by_line(self, scope: Scope, name: str) -> Iterator[tuple[Scope, int, Effect]]:
        """What may leave something sown on what a variable of a function holds, and where."""
        for where, line, effect in _VariableTracker(self.effects, scope, name).placed():
            if harm([effect]) is not None:
                yield where, line, effect

    def on_made(self, scope: Scope, made: ir.Expr, name: str) -> Refusal | None:
        """Why sown values may lie on what an expression gives; None when they cannot."""
        return self._on_made(scope, made, name, frozenset())

    @property
    def holders(self) -> frozenset[Scope]:
        """The functions whose parameters were followed to all their calls."""
        return frozenset(self._holders)

    def _on_parameter(self, scope: Scope, name: str, seen: _Seen) -> Refusal | None:
        function = self.project.function(scope)
        left = harm(self.effects.inside(scope, name))
        if left is not None:
            return _told(left, name)
        self._holders.add(scope)
        if function.owner is not None or not self._is_followed(scope, function):
            return ResidualCause.CALLS_NOT_FOLLOWED.about(function=function.name)
        given = list(self._arguments(scope, function, name))
        if not given:
            return ResidualCause.NO_CALL_SHOWS.about(function=function.name, name=name)
        for where, argument in given:
            if isinstance(argument, ir.Name):
                reason = self._on(where, argument.id, seen)
            else:
                reason = self._on_made(where, argument, name, seen)
            if reason:
                return reason
        return None

    def _is_followed(self, scope: Scope, function: ir.Function) -> bool:
        """Whether no decorator, or one that changes nothing sown, is around the function."""
        outer = scope_around(scope, function)
        targets = [d.func if isinstance(d, ir.Call) else d for d in function.decorators]
        known = [spec(self.project.nnx_name(outer, target)) for target in targets]
        return all(each.gives_back and not each.maps_axes for each in known)

    def _arguments(
        self, scope: Scope, function: ir.Function, name: str
    ) -> Iterable[tuple[Scope, ir.Expr]]:
        (parameter,) = [p for p in function.parameters if p.name == name]
        for located in self.evaluator.callers.arguments(scope, function, parameter):
            yield located.scope, located.expr
        if parameter.default is not None:
            yield scope, ir.UNSEEN

    def _on_made(self, scope: Scope, made: ir.Expr, name: str, seen: _Seen) -> Refusal | None:
        """Whether an expression makes a new object of a known class."""
        values = self.evaluator.values(scope, made)
        called = self.evaluator.values(scope, made.func) if isinstance(made, ir.Call) else ()
        makers = [c for c in called if isinstance(c, FunctionValue)]
        if values and makers and len(makers) == len(called):
            return self._on_returned(makers, name, seen)
        if not values or not called or not all(isinstance(c, ClassValue) for c in called):
            return ResidualCause.ORIGIN_NOT_FOLLOWED.about(name=name)
        for value in values:
            if not isinstance(value, Instance) or not value.exact:
                return ResidualCause.CLASS_NOT_KNOWN.about(name=name)
            if not self.evaluator.hierarchy.ancestry(value.class_name).closed:
                return ResidualCause.BASES_NOT_KNOWN.about(name=name)
        return self.on_new()

    def _on_returned(
        self, makers: Sequence[FunctionValue], name: str, seen: _Seen
    ) -> Refusal | None:
        """Whether something is sown on what functions return, before they do."""
        for maker in makers:
            function = self.project.function(maker.scope)
            if (maker.scope, "") in seen:
                continue
            if function.yields or not _MAKING.issuperset(maker.transforms):
                return ResidualCause.ORIGIN_NOT_FOLLOWED.about(name=name)
            if not function.returns:
                return ResidualCause.RETURN_NOT_SHOWN.about(function=function.name)
            for returned in function.returns:
                if isinstance(returned, ir.Name):
                    bound = self.project.bindings(maker.scope, returned.id)
                    if any(not isinstance(b, Located) or b.scope != maker.scope for b in bound):
                        return ResidualCause.RETURNS_SHARED.about(function=function.name)
                    reason = self._on(maker.scope, returned.id, seen | {(maker.scope, "")})
                else:
                    reason = self._on_made(maker.scope, returned, name, seen | {(maker.scope, "")})
                if reason:
                    return reason
        return None

    def on_new(self) -> Refusal | None:
        """Whether some constructor sows: an object may make others that do so on themselves."""
        for module, record in self.project.modules.items():
            for made in record.classes.values():
                key = made.methods.get("__init__")
                if key is None or not _runs_itself(record.functions[key]):
                    continue
                effects = self.analysis.effects.of_own_parameter(Scope(module, key))
                if any(effect.sows for effect in effects):
                    return ResidualCause.CONSTRUCTOR_SOWS.about(name=made.name)
        return None


def _runs_itself(constructor: ir.Function) -> bool:
    """Whether a constructor calls its object or a method or part of it, or hands it to something.

    Only such a one can sow, and to look for the effects of all is dear.
    """
    if not constructor.parameters:
        return False
    own = ir.Name(constructor.parameters[0].name)
    return any(
        own in {call.func, *call.args, *(value for _, value in call.keywords)}
        or _base(call.func) == own
        for call in constructor.calls
    )


def _base(expr: ir.Expr) -> ir.Expr:
    while isinstance(expr, ir.Attribute | ir.Element):
        expr = expr.base
    return expr


def harm(effects: Iterable[Effect]) -> Effect | None:
    """An effect that may leave something sown on the object."""
    for effect in sorted(effects, key=lambda e: (e.where, e.what, e.kind)):
        if effect.kind == "structure" and not effect.sows and _is_clean(effect.cause):
            continue
        if effect.kind == "escape" and effect.way == "returned":
            continue
        return effect
    return None


def _is_clean(cause: Cause) -> bool:
    return changes_by_method(cause, *_CLEAN) or changes_by(cause, *_CLEAN_FUNCTIONS)


def _told(effect: Effect, name: str) -> Refusal:
    if effect.sows:
        return ResidualCause.SOWN_ELSEWHERE.about(effect.where, name=name)
    return ResidualCause.MAY_BE_SOWN_ON.about(effect.where, name=name, what=effect.what)
