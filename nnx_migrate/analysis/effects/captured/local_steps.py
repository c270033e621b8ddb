"""Finds the steps of one function: what it does itself with an object, and where it hands it on.

Only what is seen is listed; what is not seen is among the effects.
"""

from __future__ import annotations

import collections
import itertools
from collections.abc import Iterable, Iterator

from nnx_migrate.analysis.callgraph.binding import arguments, parameter_at
from nnx_migrate.analysis.callgraph.call_form import unstarred
from nnx_migrate.analysis.domain.values import (
    ClassValue,
    FunctionValue,
    Instance,
    LibraryValue,
    Scope,
    Value,
    Values,
    scope_around,
    short_name,
)
from nnx_migrate.analysis.domain.witnesses import in_order
from nnx_migrate.analysis.effects.aliases.may_alias import Aliases, is_of_module
from nnx_migrate.analysis.effects.captured.steps import (
    Enter,
    OfClass,
    OneOf,
    Perhaps,
    Step,
    Steps,
    Through,
    Use,
)
from nnx_migrate.analysis.effects.summary import EffectFinder
from nnx_migrate.analysis.flax.names import layer_of, nnx_name
from nnx_migrate.analysis.flax.transforms import COLLECTING, CONTROL_FLOW, of_nnx, spec
from nnx_migrate.analysis.heap.reachable_variables import ContentsFinder
from nnx_migrate.analysis.interp.containers.sequential_layers import held_by_layer
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.library.effect_model import VARIABLE_READS, operands_of
from nnx_migrate.core.place import Place

#: Transforms of which graph mode checks the trace level of what they are given.
_CHECKING = of_nnx(lambda t: t.checks_trace_level and t.operands is None)
#: Layers that scan over another layer.
_SCANNING = frozenset({"RNN", "Bidirectional"})
#: Variables that layers write to when they are called.
_WRITTEN = frozenset({"BatchStat", "RngKey", "RngCount", "RngState", "Cache", "MetricState"})
#: What switches the updates of layers off; where no code says any of it, they happen.
_SWITCHES = (
    "deterministic",
    "eval",
    "set_attributes",
    "set_mode",
    "set_view",
    "use_running_average",
    "view",
)
#: Words that decide whether layers update themselves.
WORDS = tuple(sorted({*_SWITCHES, *COLLECTING}))
_WRITING = frozenset({"set_value", "copy_from", "set_raw_value", "update_from"})
_READING_RNGS = frozenset({"items", "keys", "values", "get", "state", "tag"})


class LocalSteps:
    """Finds what functions do with objects, each for itself."""

    def __init__(self, effects: EffectFinder, contents: ContentsFinder) -> None:
        self.effects = effects
        self.contents = contents
        self.project = effects.project
        self.hierarchy = effects.hierarchy
        self._of_classes: dict[tuple[str, bool, str], OneOf | None] = {}

    def of(self, scope: Scope, name: str) -> Steps:
        """What a function does with what it calls `name`, those nested in it included."""
        return tuple(self._of(Aliases(self.effects, scope, name)))

    def _of(self, aliases: Aliases) -> Iterator[Step]:
        for where in self.project.within(aliases.scope):
            function = self.project.function(where)
            for write in function.writes:
                yield from self._write(aliases, where, write)
            for call in function.calls:
                if steps := tuple(self._call(aliases, where, call)):
                    yield Through(self._place(where, call.line), steps)
            for read in function.reads:
                if aliases.rooted(where, read.base):
                    for value in in_order(aliases.values(where, read.base)):
                        yield from self._method(value, read.name)

    def _place(self, scope: Scope, line: int) -> Place:
        return Place(scope.module, line)

    def _write(self, aliases: Aliases, scope: Scope, write: ir.Write) -> Iterator[Step]:
        target = write.target
        if write.how == "item":
            written = aliases.rooted(scope, target) and aliases.is_variable(scope, target)
        else:
            written = (
                isinstance(target, ir.Attribute)
                and target.name in VARIABLE_READS
                and aliases.rooted(scope, target.base)
                and aliases.is_variable(scope, target.base)
            )
        if written:
            yield Use("update", "one of its Variables is written", self._place(scope, write.line))

    def _call(self, aliases: Aliases, scope: Scope, call: ir.Call) -> Iterator[Step]:
        func = call.func
        where = self._place(scope, call.line)
        if is_of_module(aliases.parameter):
            yield from self._reached(aliases.values(scope, func), aliases.parameter)
        if isinstance(func, ir.Attribute) and aliases.rooted(scope, func.base):
            for base in in_order(aliases.values(scope, func.base)):
                yield from self._method_call(base, func.name, where)
        if aliases.rooted(scope, func):
            for value in in_order(aliases.values(scope, func)):
                yield from self.called(value, where)
        given = [
            argument
            for argument in (*call.args, *(value for _, value in call.keywords))
            if aliases.rooted(scope, unstarred(argument))
        ]
        if given:
            yield from self._updated_by_method(aliases, scope, call, given, where)
            for value in in_order(aliases.values(scope, func)):
                yield from self._given(aliases, scope, value, call, given, where)

    def _reached(self, called: Values, name: str) -> Iterator[Step]:
        """What functions do that are called without the object: one of a module they know too."""
        found = list(itertools.chain.from_iterable(map(self._run_by, in_order(called))))
        entered = tuple(Enter((function, name)) for function in dict.fromkeys(found))
        yield from entered if len(found) == 1 else (Perhaps(entered),)

    def _run_by(self, called: Value) -> Iterator[Scope]:
        """The functions of the project that a call of something may run."""
        match called:
            case FunctionValue(scope=scope):
                yield scope
            case Instance():
                for class_name in self.hierarchy.classes_of(called):
                    yield from self._defined(class_name, "__call__")
            case ClassValue(class_name=class_name):
                yield from self._defined(class_name, "__init__")

    def _defined(self, class_name: str, name: str) -> Iterator[Scope]:
        method = self.hierarchy.method(class_name, name)
        if isinstance(method, Scope):
            yield method

    def _method_call(self, base: Value, name: str, where: Place) -> Iterator[Step]:
        if not isinstance(base, Instance):
            return
        kind = self.hierarchy.kind(base.class_name)
        library = layer_of(base.class_name) is not None
        if kind == "variable" and name in _WRITING:
            yield Use("update", f".{name}() writes one of its Variables", where)
        elif kind == "rngs" and name not in _READING_RNGS:
            yield Use("update", "a random key is drawn from it", where, spares_params=True)
        elif kind == "module" and name == "sow" and not self._is_own_method(base, name):
            # Where nnx.capture has been put on it outside, nothing of the object itself changes.
            certain = not any(map(self.project.has_word, COLLECTING))
            yield Use("update", ".sow() changes it", where, certain=certain)
        elif library and kind in {"optimizer", "metric"} and name in {"update", "reset"}:
            yield Use("update", f".{name}() writes its Variables", where)
        yield from self._method(base, name)

    def _method(self, base: Value, name: str) -> Iterator[Step]:
        """What a method that the project defines does with its own object; a property too."""
        if not isinstance(base, Instance):
            return
        yield from self._of_any_class(base, name)

    def _is_own_method(self, instance: Instance, name: str) -> bool:
        """Whether the project defines a method of that name."""
        return any(
            isinstance(self.hierarchy.method(each, name), Scope)
            for each in self.hierarchy.classes_of(instance)
        )

    def _of_any_class(self, instance: Instance, name: str) -> Iterator[Step]:
        """What a method does, of each class that the object can be of."""
        key = instance.class_name, instance.exact, name
        if key not in self._of_classes:
            self._of_classes[key] = self._found_in(self.hierarchy.classes_of(instance), name)
        if (found := self._of_classes[key]) is not None:
            yield found

    def _found_in(self, classes: Iterable[str], name: str) -> OneOf | None:
        """What the methods of a name do, of hundreds of classes which may share a few."""
        methods = collections.Counter(self.hierarchy.method(each, name) for each in classes)
        found = {m: self._of_method(m) if isinstance(m, Scope) else OfClass() for m in methods}
        again = [found[method] for method, count in methods.items() if count > 1]
        of_classes = OneOf.of((*found.values(), *again))
        return of_classes if of_classes.entered else None

    def _of_method(self, method: Scope) -> OfClass:
        function = self.project.function(method)
        if not function.parameters:
            return OfClass()
        return OfClass(tuple(self._own(method, function)), ((method, function.parameters[0].name),))

    def _own(self, method: Scope, function: ir.Function) -> Iterator[Use]:
        outer = scope_around(method, function)
        for decorator in function.decorators:
            target = decorator.func if isinstance(decorator, ir.Call) else decorator
            if isinstance(decorator, ir.Call) and decorator.args and _is_partial(target):
                target = decorator.args[0]
            name = self.project.nnx_name(outer, target)
            if name in _CHECKING:
                where = self._place(method, function.line)
                yield Use("transform", f"it is passed to nnx.{name}", where)

    def called(self, value: Value, where: Place) -> Iterator[Step]:
        """What a call of the object does to it."""
        if not isinstance(value, Instance):
            return
        yield from self._of_any_class(value, "__call__")
        if layer_of(value.class_name) is None:
            return
        name = short_name(value.class_name)
        kind = self.hierarchy.kind(value.class_name)
        if kind == "rngs":
            yield Use("update", "a random key is drawn from it", where, spares_params=True)
        elif name.rpartition(".")[2] in _SCANNING:
            yield Use("transform", f"{name} passes it to a scan", where)
        elif self.contents.of(frozenset({value})).variables & _WRITTEN:
            switched = any(map(self.project.has_word, _SWITCHES))
            what = f"{name} may update itself"
            expected = not switched
            yield Use("update", what, where, False, expected, spares_params=True)
        for inner in in_order(held_by_layer(self.contents.evaluator, value)):
            yield from self.called(inner, where)

    def _updated_by_method(
        self,
        aliases: Aliases,
        scope: Scope,
        call: ir.Call,
        given: Iterable[ir.Expr],
        where: Place,
    ) -> Iterator[Step]:
        """`optimizer.update(model, grads)` writes to the model."""
        func = call.func
        if not (isinstance(func, ir.Attribute) and func.name == "update" and call.args):
            return
        bases = aliases.values(scope, func.base)
        kinds = {self.hierarchy.kind(b.class_name) for b in bases if isinstance(b, Instance)}
        if call.args[0] in given and "optimizer" in kinds:
            yield Use("update", "an optimizer updates it", where)

    def _given(
        self,
        aliases: Aliases,
        scope: Scope,
        value: Value,
        call: ir.Call,
        given: list[ir.Expr],
        where: Place,
    ) -> Iterator[Step]:
        """What a call does to the object that it is given."""
        match value:
            case FunctionValue(scope=called, transforms=transforms):
                names = [name for name in transforms if name in _CHECKING]
                for name in names[-1:]:
                    yield Use("transform", f"it is passed to nnx.{name}", where)
                function = self.project.function(called)
                for parameter, argument in arguments(function, value, call):
                    if argument in given:
                        yield Enter((called, parameter.name))
            case LibraryValue(dotted=dotted):
                library = nnx_name(dotted)
                if library in CONTROL_FLOW:
                    yield Use("transform", f"it is passed to nnx.{library}", where)
                if spec(library).collects and call.args and call.args[0] in given:
                    yield Use("update", "nnx.capture() puts the sown values on it", where)
                if library == "update" and call.args and call.args[0] in given:
                    yield Use("update", "nnx.update() writes to it", where)
                places = [i for i, argument in enumerate(call.args) if argument in given]
                for branch, index in operands_of(dotted, call, places) or ():
                    for function_value in in_order(aliases.values(scope, branch)):
                        yield from self._operand(function_value, index)
            case Instance():
                for class_name in self.hierarchy.classes_of(value):
                    method = self.hierarchy.method(class_name, "__call__")
                    if isinstance(method, Scope):
                        bound = FunctionValue(method, method.function, bound=True)
                        yield from self._given(aliases, scope, bound, call, given, where)

    def _operand(self, value: Value, index: int) -> Iterator[Step]:
        if isinstance(value, FunctionValue):
            parameter = parameter_at(self.project.function(value.scope), value, index)
            if parameter is not None:
                yield Enter((value.scope, parameter.name))


def _is_partial(target: ir.Expr) -> bool:
    return ir.last_name(target) == "partial"
