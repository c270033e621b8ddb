"""What a function does to an object it is given, followed through calls over all modules.

Updates of Variables in place (`m.w[...] = v`) are kept by every transform in both modes and are no
effect here. Everything else that reaches the object's structure is (docs/semantics.md: STR-1 to
STR-9, OUT-1, SOW-2).
"""

from __future__ import annotations

import abc
import collections
import dataclasses
import functools
from collections.abc import Iterator

from nnx_migrate.analysis.callgraph.lattice import outside_circles
from nnx_migrate.analysis.domain.fixpoint import Fixpoint, Lasts
from nnx_migrate.analysis.domain.values import (
    Basic,
    ClassValue,
    FunctionValue,
    Instance,
    LibraryValue,
    Scope,
    Value,
    Values,
    scope_around,
)
from nnx_migrate.analysis.effects.causes import (
    CalleeUnknown,
    MethodChanges,
    MethodUnknown,
    Unseen,
)
from nnx_migrate.analysis.effects.effect import (
    NO_EFFECTS,
    NOTHING_DONE,
    Done,
    Effect,
    Effects,
    all_done,
    parted,
)
from nnx_migrate.analysis.effects.flags.constructors import ConstructorFlags
from nnx_migrate.analysis.flax.names import layer_of
from nnx_migrate.analysis.flax.transforms import spec
from nnx_migrate.analysis.heap.added_variables import AddedVariables
from nnx_migrate.analysis.heap.reachable_variables import ContentsFinder
from nnx_migrate.analysis.interp.attributes import member
from nnx_migrate.analysis.interp.callable_objects import cannot_be_called, is_bare_module
from nnx_migrate.analysis.interp.containers.sequential_layers import is_sequential, layers_of
from nnx_migrate.analysis.interp.interpreter import Evaluator
from nnx_migrate.analysis.interp.singledispatch import DISPATCHING, implementations
from nnx_migrate.analysis.interp.stores.fields import gets_object
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.library.return_model import ANY_OBJECT
from nnx_migrate.core.place import Place


class EffectFinder(abc.ABC):
    """Computes the effects of functions of a project on their parameters."""

    def __init__(
        self, evaluator: Evaluator, contents: ContentsFinder, lasting: Lasts | None = None
    ) -> None:
        self.evaluator = evaluator
        self.project = evaluator.project
        self.hierarchy = evaluator.hierarchy
        self.fixpoint = Fixpoint(lasting)
        self.contents = contents
        self.added = AddedVariables(evaluator)
        self.constructors = ConstructorFlags(evaluator)
        self._by_call: dict[tuple[Scope, str], tuple[Effects, Done]] = {}
        #: Each effect as one object, so that sets of them are compared and joined by identity.
        self.same: dict[Effect, Effect] = {}
        self._calls_on: dict[Scope, dict[ir.Expr, list[ir.Call]]] = {}
        self._calls_given: dict[Scope, dict[ir.Expr, list[ir.Call]]] = {}

    def of(self, scope: Scope, parameter: str) -> Effects:
        """The effects of function `scope` on its parameter of that name, through all it calls."""
        return self.fixpoint.get(
            (scope, parameter),
            lambda: self._of(scope, parameter),
            NO_EFFECTS,
            functools.partial(self._unsettled, scope),
        )

    def _unsettled(self, scope: Scope, found: Effects) -> Effects:
        where = Place(scope.module, self.project.function(scope).line)
        return found | {Effect("unknown", Unseen("functions that call each other"), where)}

    def _of(self, scope: Scope, parameter: str) -> Effects:
        tracked = self._tracked(scope, parameter)
        decorated = self._decorated(scope, parameter.partition("[")[0])
        return tracked | decorated if decorated else tracked

    @abc.abstractmethod
    def _tracked(self, scope: Scope, parameter: str) -> Effects:
        """What the body of a function does."""

    def gives_back(self, scope: Scope, parameter: str) -> bool:
        """Whether a function returns what it has by that name, a part of it, or what keeps it.

        That is one of its effects, and much less than all of them: what its body does to the
        object does not matter.
        """
        return self.fixpoint.get(
            ("gives back", scope, parameter),
            lambda: self._gives_back(scope, parameter),
            False,
            lambda _: True,
        )

    @abc.abstractmethod
    def _gives_back(self, scope: Scope, parameter: str) -> bool:
        """The same, by what the body of a function returns."""

    def stored_by(self, scope: Scope, parameter: str, keeper: str) -> frozenset[str]:
        """The attributes under which a function stores what it is given in another argument.

        Args:
            parameter: what is stored.
            keeper: the parameter in which it is.
        """
        return self.fixpoint.get(
            ("stored", scope, parameter, keeper),
            lambda: self._stored_by(scope, parameter, keeper),
            frozenset[str](),
            lambda found: found,
        )

    @abc.abstractmethod
    def _stored_by(self, scope: Scope, parameter: str, keeper: str) -> frozenset[str]:
        """The same, by the body of a function."""

    def before_pops(self, scope: Scope, parameter: str) -> Effects:
        """The effects at any point of a function, those too that it pops again later."""
        return self.fixpoint.get(
            (scope, parameter, "before pops"),
            lambda: self._unbalanced(scope, parameter),
            NO_EFFECTS,
            functools.partial(self._unsettled, scope),
        )

    @abc.abstractmethod
    def _unbalanced(self, scope: Scope, parameter: str) -> Effects:
        """What the body of a function does, whatever it pops later."""

    def calls_on(self, scope: Scope, name: ir.Name) -> list[ir.Call]:
        """Calls in a function of methods of one of its own variables that are given something."""
        if scope not in self._calls_on:
            function = self.project.function(scope)
            found: dict[ir.Expr, list[ir.Call]] = collections.defaultdict(list)
            for call in function.calls:
                base = call.func.base if isinstance(call.func, ir.Attribute) else None
                own = isinstance(base, ir.Name) and base.id in function.bindings
                if base is not None and own and (call.args or call.keywords):
                    found[base].append(call)
            self._calls_on[scope] = found
        return self._calls_on[scope].get(name, [])

    def calls_given(self, scope: Scope, name: ir.Name) -> list[ir.Call]:
        """Calls in a function that are given one of its own variables, and something else."""
        if scope not in self._calls_given:
            function = self.project.function(scope)
            found: dict[ir.Expr, list[ir.Call]] = collections.defaultdict(list)
            for call in function.calls:
                given = [*call.args, *(value for _, value in call.keywords)]
                for each in given if len(given) > 1 else ():
                    if isinstance(each, ir.Name) and each.id in function.bindings:
                        found[each].append(call)
            self._calls_given[scope] = found
        return self._calls_given[scope].get(name, [])

    def _decorated(self, scope: Scope, parameter: str) -> Effects:
        """A decorator that the project defines may do anything around the function."""
        function = self.project.function(scope)
        outer = scope_around(scope, function)
        where = Place(scope.module, function.line)
        found: set[Effect] = set()
        for decorator in function.decorators:
            target = decorator.func if isinstance(decorator, ir.Call) else decorator
            if isinstance(target, ir.Attribute) and target.name in _ACCESSORS:
                continue
            if self.evaluator.transparent.is_one(outer, decorator):
                continue
            if self.project.dotted(outer, target) in DISPATCHING:
                chosen = frozenset(implementations(self.evaluator, scope))
                found |= self._around(function, parameter, chosen)
            if spec(self.project.nnx_name(outer, target)).has_passes:
                found |= self._around(function, parameter, self._forward_passes(scope))
            values = self.evaluator.values(outer, target)
            if isinstance(decorator, ir.Call) and _is_partial(values) and decorator.args:
                values = self.evaluator.values(outer, decorator.args[0])
            if any(isinstance(value, FunctionValue) for value in values):
                cause = Unseen(f"the effect of a decorator of {function.name} is unknown")
                found.add(Effect("unknown", cause, where))
            found |= self._by_class(values)
            if isinstance(decorator, ir.Call):
                values = self._given_back(values)
            found |= self._around(function, parameter, self._given_back(values))
        return frozenset(found)

    def _forward_passes(self, scope: Scope) -> Values:
        """What `f.defvjp(forward, backward)` has run in the place of f under a gradient."""
        found: Values = frozenset()
        for where, call in self.evaluator.callers.mentions.calls_of("defvjp"):
            if not isinstance(call.func, ir.Attribute):
                continue
            defined = self.evaluator.values(where, call.func.base)
            if any(isinstance(v, FunctionValue) and v.scope == scope for v in defined):
                forward = [given for name, given in call.keywords if name == "fwd"]
                for given in (*call.args[:1], *forward):
                    found |= self.evaluator.values(where, given)
        return found

    def _by_class(self, values: Values) -> Effects:
        """What a class that decorates methods does to what it is called with, or looked up on."""
        found: Effects = NO_EFFECTS
        for value in values:
            for name in ("__call__", "__get__") if isinstance(value, ClassValue) else ():
                assert isinstance(value, ClassValue)
                method = self.hierarchy.method(value.class_name, name)
                if isinstance(method, Scope):
                    for given in self.project.function(method).parameters[1:]:
                        found |= self.of(method, given.name)
        return frozenset(effect for effect in found if effect.kind == "structure")

    def _given_back(self, values: Values) -> Values:
        """What functions of the project return."""
        found = (self.evaluator.returned(v.scope) for v in values if isinstance(v, FunctionValue))
        return frozenset(value for each in found for value in each)

    def _around(self, function: ir.Function, parameter: str, wrappers: Values) -> Effects:
        """What functions that run in the place of one change in its parameter themselves."""
        names = [each.name for each in function.parameters if each.kind == "positional"]
        found: Effects = NO_EFFECTS
        for wrapper in wrappers:
            if not isinstance(wrapper, FunctionValue) or parameter not in names:
                continue
            place = names.index(parameter)
            own = self.project.function(wrapper.scope).parameters
            if place < len(own) and own[place].kind == "positional":
                found |= self.of(wrapper.scope, own[place].name)
        return frozenset(effect for effect in found if effect.kind == "structure")

    def of_method(self, instance: Instance, name: str, where: Place) -> Done:
        """The effects on the object of calling one of its methods."""
        if name == "__call__" and is_bare_module(self.evaluator, instance):
            return self.of_set_methods(instance.class_name, name)  # it raises, in both modes
        if instance.class_name in ANY_OBJECT:
            why = "the class of the Module is unknown"
            cause = MethodUnknown(name, why, "annotation", of_nnx=True)
            return Done(frozenset({Effect("unknown", cause, where)}))
        # Hundreds of classes may have it from one above them, which is asked once.
        methods: dict[Scope, None] = {}
        found: list[Done] = []
        for class_name in self.classes_met(instance, where.module):
            found.append(self.of_set_methods(class_name, name))
            method = self.hierarchy.method(class_name, name)
            if isinstance(method, Scope):
                methods[method] = None
            else:
                found.append(self._of_no_own_method(instance, class_name, name, where))
        return all_done([*map(self.of_own_method, methods), *found])

    def classes_met(self, instance: Instance, module: str) -> Iterator[str]:
        """The classes that an object can be of in a file: no notebook meets those of another."""
        in_document = bool(self.project.modules[module].stands)
        for class_name in self.hierarchy.classes_of(instance):
            home = self.project.modules.get(class_name.partition(":")[0])
            if not in_document or home is None or home.module == module or not home.stands:
                yield class_name

    def of_own_parameter(self, method: Scope) -> Effects:
        """The effects of a method on its own object."""
        function = self.project.function(method)
        if not function.parameters:
            return NO_EFFECTS
        return self.of(method, function.parameters[0].name)

    def of_own_method(self, method: Scope) -> Done:
        """The effects on an object of calling a method of it."""
        function = self.project.function(method)
        if not function.parameters:
            return NOTHING_DONE
        return self.by_call(method, function.parameters[0].name)

    def by_call(self, scope: Scope, parameter: str) -> Done:
        """The effects that a caller sees: what is returned is the caller's own affair."""
        found = self.of(scope, parameter)
        # Of thousands of effects the same ones are asked for at each of hundreds of calls, and in
        # each round of a circle, so that the sets are the same objects where nothing has changed.
        before, known = self._by_call.get((scope, parameter), (None, NOTHING_DONE))
        if before is not found:
            if before != found:
                returned = [effect for effect in found if effect.way == "returned"]
                known = parted(found.difference(returned) if returned else found)
            self._by_call[scope, parameter] = found, known
        return known

    def of_set_methods(self, class_name: str, name: str) -> Done:
        """The effects of functions that code outside of a class makes a method of it."""
        methods = [value.scope for value in self.set_methods(class_name, name)]
        return all_done(map(self.of_own_method, methods))

    def set_methods(self, class_name: str, name: str) -> Iterator[FunctionValue]:
        """The functions that code outside of a class makes a method of it.

        They are bound; where the class may call one without its object, it comes unbound, too.
        """
        above = self.hierarchy.ancestry(class_name).classes
        for scope, write in self.evaluator.callers.mentions.outside_writes(name):
            if not isinstance(write.target, ir.Attribute) or write.value is None:
                continue
            holders = self.evaluator.values(scope, write.target.base)
            if any(isinstance(v, ClassValue) and v.class_name in above for v in holders):
                bound = gets_object(self.evaluator, scope, write.value)
                for value in self.evaluator.values(scope, write.value):
                    if isinstance(value, FunctionValue):
                        yield dataclasses.replace(value, bound=True)
                        yield from () if bound else (value,)

    def _of_no_own_method(
        self, instance: Instance, class_name: str, name: str, where: Place
    ) -> Done:
        """The effects of a method of the library, or of what is none."""
        method = self.hierarchy.method(class_name, name)
        assert not isinstance(method, Scope)
        if method is None:
            return self._of_attribute(instance, class_name, name, where)
        layer = layer_of(method)
        if layer is None:
            return Done(frozenset({Effect("unknown", MethodUnknown(name), where)}))
        if name in layer.structural_methods:
            changes = MethodChanges(name, layer.name)
            return Done(frozenset({Effect("structure", changes, where)}))
        found: list[Done] = []
        if name == "__call__":
            held = instance.wraps
            if is_sequential(self.evaluator, instance):
                held = layers_of(self.evaluator, instance)
            found += [self.of_call(inner, where) for inner in outside_circles(held)]
        if layer.name == "MultiMetric" and name in _OF_ALL_METRICS:
            metrics = self._metrics_of(instance)
            found += [self.of_method(metric, name, where) for metric in metrics]
        return all_done(found)

    def _metrics_of(self, instance: Instance) -> list[Instance]:
        """What a MultiMetric holds, or all metrics of the project where that is not seen."""
        held = [each for each in instance.wraps if isinstance(each, Instance)]
        if held:
            return held
        return [
            Instance(each)
            for each in self.hierarchy.all_classes
            if self.hierarchy.kind(each) == "metric"
            and "flax.nnx.MultiMetric" not in self.hierarchy.ancestry(each).classes
        ]

    def _of_attribute(self, instance: Instance, class_name: str, name: str, where: Place) -> Done:
        """The effects of calling what is no method: something stored, or not known at all."""
        stored = self.evaluator.stored(class_name, name)
        if not stored and not self.hierarchy.ancestry(class_name).closed:
            return Done(frozenset({Effect("unknown", MethodUnknown(name), where)}))
        if name == "__call__" and cannot_be_called(self.evaluator, class_name):
            return NOTHING_DONE  # it raises, in both modes
        values = member(self.evaluator, instance, name)
        return all_done([self.of_call(value, where) for value in values])

    def of_kept(self, value: Value, name: str, where: Place) -> Done:
        """The effects on an object of calling what it keeps under a name."""
        if isinstance(value, Basic) and value.sort == "unknown":
            cause = MethodUnknown(name, value.reason, value.hidden)
            return Done(frozenset({Effect("unknown", cause, where)}))
        return self.of_call(value, where)

    def of_call(self, value: Value, where: Place) -> Done:
        """The effects on an object of calling it."""
        if isinstance(value, Instance):
            return self.of_method(value, "__call__", where)
        if isinstance(value, FunctionValue) and value.bound:
            return self.of_own_method(value.scope)
        if isinstance(value, Basic) and value.sort == "unknown":
            cause = CalleeUnknown(value.reason, value.hidden)
            return Done(frozenset({Effect("unknown", cause, where)}))
        return NOTHING_DONE


#: What a MultiMetric has each of its metrics do.
_OF_ALL_METRICS = frozenset({"reset", "update", "compute"})
_ACCESSORS = frozenset({"setter", "getter", "deleter"})


def _is_partial(values: frozenset[Value]) -> bool:
    return values == {LibraryValue("functools.partial")}
