"""Walks a function's body, and those nested in it, for what happens to one of its parameters."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Literal

from nnx_migrate.facts import flags, ir
from nnx_migrate.facts.aliases import (
    VARIABLE_READS,
    Aliases,
    is_super,
    mapped,
    reduced,
    unstarred,
)
from nnx_migrate.facts.callers import argument_for
from nnx_migrate.facts.effects import Effect, without_return
from nnx_migrate.facts.evaluate import CAPTURED
from nnx_migrate.facts.filtered_states import holds_variables_alone
from nnx_migrate.facts.flax_layers import asking_keywords
from nnx_migrate.facts.library import is_transform
from nnx_migrate.facts.library_effects import (
    APPLYING,
    BINDING,
    GROWING_METHODS,
    MAPPING,
    MUTATING_METHODS,
    STRUCTURAL_METHODS,
    harmless_library_call,
    operands_of,
)
from nnx_migrate.facts.project import layer_of, nnx_name
from nnx_migrate.facts.run_time_names import (
    NAMED_AT_RUN_TIME,
    literal_names,
    methods_by_any_name,
    respelled,
)
from nnx_migrate.facts.special_methods import (
    Run,
    descriptors_run,
    lookups_run,
    methods_run,
    runs_in,
    runs_of_library,
    runs_of_name,
)
from nnx_migrate.facts.under_capture import captured_reads, is_capture
from nnx_migrate.facts.values import (
    Basic,
    ClassValue,
    ContainerValue,
    FunctionValue,
    Instance,
    LibraryValue,
    Located,
    Scope,
    short_name,
)

if TYPE_CHECKING:
    from nnx_migrate.facts.effects import EffectFinder

_VERBS = {"set": "set", "augment": "updated", "delete": "deleted"}
_VARIABLE_METHODS = VARIABLE_READS | {"set_value", "copy_from", "replace"}
_EXECUTING = (ir.Name("exec"), ir.Name("eval"))
#: Types of Variables that are in a Module from the start.
_UNSOWN = frozenset({"Param", "BatchStat", "Cache", "RngState", "RngKey", "RngCount"})


class Tracker:
    """Finds the effects of one function on one of its parameters."""

    def __init__(self, finder: EffectFinder, scope: Scope, parameter: str) -> None:
        self.finder = finder
        self.project = finder.project
        self.hierarchy = finder.hierarchy
        self.scope = scope
        self.aliases = Aliases(finder, scope, parameter)
        self.rooted = self.aliases.rooted
        self.flags = flags.Flags(self.project, scope)

    def effects(self) -> Iterator[Effect]:
        for effect in self._effects():
            flag = effect.flag
            # What another function makes it depend on says nothing here.
            own = (self.scope, flag[1]) if flag and flag[0] == flags.OWN else None
            yield dataclasses.replace(effect, flag=own)

    def _effects(self) -> Iterator[Effect]:
        for scope in self._scopes(self.scope):
            function = self.project.function(scope)
            for write in function.writes:
                yield from self._write(scope, write)
            guards = dict(function.guards)
            for place, call in enumerate(function.calls):
                flag = self.flags.own(scope, guards.get(place, ""))
                yield from flags.only_when(flag, self._call(scope, call))
            captured = captured_reads(self.project, scope)
            for read in function.reads:
                effects = self._read(scope, read)
                yield from self._outside_capture(effects) if read in captured else effects
            for run in runs_in(self.project, function):
                yield from self._run(scope, run, 0)
        function = self.project.function(self.scope)
        if any(self.aliases.escapes(self.scope, v) for v in (*function.returns, *function.yields)):
            yield self._escape("it, or a part of it, is returned", "returned", self.scope, 0)

    def _scopes(self, scope: Scope) -> Iterator[Scope]:
        yield scope
        for key in self.project.function(scope).nested:
            yield from self._scopes(Scope(scope.module, key))

    def _where(self, scope: Scope, line: int) -> str:
        line = line or self.project.function(scope).line
        return f"{self.project.path_of(scope.module)}:{line}"

    def _escape(
        self, what: str, way: Literal["returned", "kept in self", "kept"], scope: Scope, line: int
    ) -> Effect:
        return Effect("escape", what, self._where(scope, line), way)

    def _structure(self, what: str, scope: Scope, line: int) -> Effect:
        return Effect("structure", what, self._where(scope, line))

    def _write(self, scope: Scope, write: ir.Write) -> Iterator[Effect]:
        target = write.target
        if write.how == "grow":  # the call that does it is looked at as a call
            return
        if write.how in {"item", "key"}:
            yield from self._element_write(scope, write)
        elif isinstance(target, ir.Attribute) and self.rooted(scope, target.base):
            variable = self.aliases.reads_variable(scope, target.base)
            if not (target.name in VARIABLE_READS and variable):
                what = f"attribute {target.name} is {_VERBS[write.how]}"
                yield self._structure(what, scope, write.line)
        elif write.value is not None and self.aliases.escapes(scope, write.value):
            yield self._kept(scope, target, write.line)

    def _element_write(self, scope: Scope, write: ir.Write) -> Iterator[Effect]:
        target = write.target
        if self.aliases.is_local_container(scope, target):
            return
        if not self.rooted(scope, target):
            if write.value is not None and self.aliases.escapes(scope, write.value):
                yield self._kept(scope, target, write.line)
        elif write.how == "key" and not self.aliases.is_variable(scope, target):
            yield self._structure("an element of it is replaced", scope, write.line)

    def _kept(self, scope: Scope, target: ir.Expr, line: int) -> Effect:
        own = isinstance(target, ir.Attribute) and self._is_self(scope, target.base)
        what = "it is kept in something that outlives the call"
        return self._escape(what, "kept in self" if own else "kept", scope, line)

    def _is_self(self, scope: Scope, expr: ir.Expr) -> bool:
        function = self.project.function(scope)
        if function.owner is None or not function.parameters:
            return False
        return is_super(expr) or expr == ir.Name(function.parameters[0].name)

    def _read(self, scope: Scope, read: ir.Attribute) -> Iterator[Effect]:
        """A property runs when it is read; a bound method may be called wherever it goes."""
        if not self.rooted(scope, read.base):
            return
        where = self._where(scope, 0)
        for value in self.aliases.values(scope, read.base):
            if not isinstance(value, Instance):
                continue
            yield from self._looked_up(scope, read, value)
            if self._is_handed_on(scope, read) and self._changes_itself(value, read.name):
                yield _by_method(read.name, where)
            for class_name in self.finder.classes_of(value):
                method = self.hierarchy.method(class_name, read.name)
                if not isinstance(method, Scope):
                    continue
                if self._is_cached(method):
                    what = f"the cached property {read.name} is kept in it"
                    yield Effect("structure", what, where)
                yield from without_return(self.finder.of_own_parameter(method))

    def _run(self, scope: Scope, run: Run, line: int) -> Iterator[Effect]:
        """What a method does that nobody calls by its name."""
        own, given = self.rooted(scope, run.operand), self.rooted(scope, run.given)
        if not own and not given:
            return
        evaluator = self.finder.evaluator
        call = ir.Call(ir.Attribute(run.operand, run.methods[0]), (run.given,), (), line)
        for value in self.aliases.values(scope, run.operand):
            for method in methods_run(evaluator, value, run.methods):
                if own:
                    yield from without_return(self.finder.of_own_parameter(method))
                if given:
                    called = FunctionValue(method, method.function, bound=True)
                    yield from self._to_function(scope, called, call, self._where(scope, line))

    def _looked_up(self, scope: Scope, read: ir.Attribute, value: Instance) -> Iterator[Effect]:
        """What runs where an attribute is looked up: `__getattr__`, and descriptors."""
        evaluator = self.finder.evaluator
        for method in lookups_run(evaluator, value, read.name):
            yield from without_return(self.finder.of_own_parameter(method))
        for method in descriptors_run(evaluator, value, read.name):
            called = FunctionValue(method, method.function, bound=True)
            call = ir.Call(read, (read.base,), (), 0)
            yield from self._to_function(scope, called, call, self._where(scope, 0))

    def _is_handed_on(self, scope: Scope, read: ir.Attribute) -> bool:
        """Whether a method is more than called: `put = self.sow`."""
        return all(call.func != read for call in self.project.function(scope).calls)

    def _changes_itself(self, base: Instance, name: str) -> bool:
        """Whether it is a method of nnx that changes the object, of a class beside it too."""
        if name not in STRUCTURAL_METHODS | {"__setattr__", "__delattr__"}:
            return False
        classes = self.finder.classes_of(base)
        if any(isinstance(self.hierarchy.method(each, name), Scope) for each in classes):
            return False
        kinds = [self.hierarchy.kind(each) for each in classes]
        return kinds[0] != "plain" or "module" in kinds

    def _is_cached(self, method: Scope) -> bool:
        decorators = self.project.function(method).decorators
        names = [getattr(d, "name", getattr(d, "id", "")) for d in decorators]
        return "cached_property" in names

    def _call(self, scope: Scope, call: ir.Call) -> Iterator[Effect]:
        where = self._where(scope, call.line)
        call = respelled(call) or call
        func = call.func
        if func in _EXECUTING and not self.project.bindings(scope, ir.last_name(func)):
            what = f"what {ir.last_name(func)}() runs is {NAMED_AT_RUN_TIME}"
            yield Effect("unknown", what, where)
        if isinstance(func, ir.Attribute) and is_super(func.base):
            if self.rooted(scope, func.base):
                yield from self._super_call(scope, func.name, where)
        elif isinstance(func, ir.Attribute) and self.rooted(scope, func.base):
            yield from self.flags.as_called(scope, call, self._method_call(scope, func, where))
            yield from self._asked_for(scope, call, where)
        elif isinstance(func, ir.Call) and is_capture(self.project, scope, func):
            inner = ir.Call(func.args[0], call.args, call.keywords, call.line)
            yield from self._outside_capture(self._given(scope, inner, where))
            return
        elif self.rooted(scope, func):
            for value in self.aliases.values(scope, func):
                called = value if isinstance(value, Instance | FunctionValue) else None
                found = self.finder.of_call(value, where)
                yield from self.flags.as_called(scope, call, found, called)
            yield from self._asked_for(scope, call, where)
        yield from self._given(scope, call, where)

    def _asked_for(self, scope: Scope, call: ir.Call, where: str) -> Iterator[Effect]:
        """What layers of the library do to themselves, or sow, when a keyword asks them to."""
        if not any(map(self.project.has_word, {"**", *asking_keywords()})):
            return
        for value in self.aliases.values(scope, call.func):
            method = isinstance(value, Instance) and self.hierarchy.method(
                value.class_name, "__call__"
            )
            layer = layer_of(method) if isinstance(method, str) else None
            if layer is None or not isinstance(value, Instance):
                continue
            asking = layer.structural_when.get("__call__", frozenset())
            bound = [(keyword, ir.UNSEEN) for keyword in value.bound_keywords]
            for keyword, given in (*call.keywords, *bound) if asking else ():
                if keyword in {None, "**", *asking} and given not in flags.FALSE:
                    sows = "sow_weights" in asking
                    verb = "sows" if sows else "changes"
                    what = f"{layer.name} {verb} because of {keyword or '**'}"
                    name = given.id if isinstance(given, ir.Name) and keyword else ""
                    flag = self.flags.own(scope, name)
                    asked = Effect("structure", what, where, sows=sows)
                    yield from flags.only_when(flag, [asked])

    def _outside_capture(self, effects: Iterable[Effect]) -> Iterator[Effect]:
        """The effects of what runs in `nnx.capture`: values of the types that it is told are
        collected and removed, and those of other types are not stored at all."""
        return (effect for effect in effects if not effect.sows)

    def _given(self, scope: Scope, call: ir.Call, where: str) -> Iterator[Effect]:
        given = [i for i, arg in enumerate(call.args) if self.rooted(scope, unstarred(arg))]
        named = [name for name, value in call.keywords if self.rooted(scope, value)]
        if not given and not named:
            return
        func = call.func
        for run in runs_of_name(self.project, call):
            yield from self._run(scope, run, call.line)
        if isinstance(func, ir.Attribute) and func.name in GROWING_METHODS:
            values = self.aliases.values(scope, func.base)
            held = any(isinstance(v, ContainerValue) for v in values)
            if held and not self.aliases.is_local_container(scope, func.base):
                yield self._kept(scope, func.base, call.line)
        for value in self.aliases.values(scope, func):
            match value:
                case FunctionValue():
                    effects = self._to_function(scope, value, call, where)
                    captured = any(name.startswith(CAPTURED) for name in value.transforms)
                    yield from self._outside_capture(effects) if captured else effects
                case ClassValue(class_name=class_name):
                    yield from self._to_class(scope, class_name, call, where)
                case LibraryValue(dotted=dotted):
                    yield from self._to_library(scope, dotted, call, given, where)
                case Instance():
                    yield from self._to_instance(scope, value, call, where)
                case Basic(sort="unknown", reason=reason):
                    yield Effect("unknown", f"it is passed to something unknown: {reason}", where)

    def _super_call(self, scope: Scope, name: str, where: str) -> Iterator[Effect]:
        owner = f"{scope.module}:{self.project.function(scope).owner}"
        if name in STRUCTURAL_METHODS | {"__setattr__", "__delattr__"}:
            yield Effect("structure", f".{name}() changes it", where)
        for method in self.hierarchy.super_methods(owner, name):
            layer = layer_of(method) if isinstance(method, str) else None
            if isinstance(method, Scope):
                yield from without_return(self.finder.of_own_parameter(method))
            elif layer is not None and name in layer.structural_methods:
                yield Effect("structure", f"{layer.name}.{name}() changes it", where)
        if not self.hierarchy.ancestry(owner).closed:
            yield Effect("unknown", f"what super().{name}() runs is not known", where)

    def _method_call(self, scope: Scope, func: ir.Attribute, where: str) -> Iterator[Effect]:
        name = func.name
        if name in _VARIABLE_METHODS and self.aliases.reads_variable(scope, func.base):
            return
        if self.aliases.is_made_container(scope, func.base):
            return
        if isinstance(func.base, ir.Attribute) and func.base.name == "__dict__":
            if name in MUTATING_METHODS:
                yield _by_method(name, where)
            return
        for base in self.aliases.values(scope, func.base):
            match base:
                case Instance():
                    yield from self._looked_up(scope, func, base)
                    yield from self._instance_method(base, name, where)
                case _ if name in STRUCTURAL_METHODS:
                    yield _by_method(name, where)
                case ContainerValue() if name in MUTATING_METHODS:
                    yield Effect("structure", f".{name}() changes it", where)
                case Basic(sort="unknown", reason=reason):
                    yield Effect("unknown", f"what .{name}() runs is not known: {reason}", where)

    def _instance_method(self, base: Instance, name: str, where: str) -> Iterator[Effect]:
        methods = [self.hierarchy.method(c, name) for c in self.finder.classes_of(base)]
        kind = self.hierarchy.kind(base.class_name)
        if any(isinstance(method, Scope) for method in methods):
            yield from self.finder.of_method(base, name, where)
        elif self._changes_itself(base, name):
            yield _by_method(name, where)
        elif any(methods):
            yield from self.finder.of_method(base, name, where)
        elif kind == "module":  # a call of something that it keeps: `self.encoder(x)`
            for value in self.finder.evaluator.member(base, name):
                yield from self.finder.of_call(value, where)
        else:
            yield from self.finder.of_method(base, name, where)

    def _to_function(
        self,
        scope: Scope,
        value: FunctionValue,
        call: ir.Call,
        where: str,
        makes_new: bool = False,
    ) -> Iterator[Effect]:
        """What a function of the project does with the arguments of the call that are tracked."""
        function = self.project.function(value.scope)
        offset = (1 if value.bound else 0) + value.partial_args
        by_place = [unstarred(argument) for argument in call.args]
        given = [*by_place, *(argument for _, argument in call.keywords)]
        given = [argument for argument in given if self.rooted(scope, argument)]
        passed = {p: argument_for(function, p, call, offset) for p in function.parameters}
        reached = [parameter for parameter, argument in passed.items() if argument in given]
        rest = set(given) - set(passed.values())
        kinds = {"star" if argument in by_place else "double_star" for argument in rest}
        catching = [p for p in function.parameters if p.kind in kinds]
        reached += catching
        if len(catching) < len(kinds):
            yield Effect("unknown", f"how {function.name} receives it is not known", where)
        own = isinstance(call.func, ir.Attribute) and self._is_self(scope, call.func.base)
        for parameter in reached:
            found = without_return(self.finder.of(value.scope, parameter.name))
            flag = self._chosen_by(scope, passed[parameter])
            for effect in flags.only_when(flag, self.flags.as_called(scope, call, found, value)):
                if effect.way != "kept in self" or own:
                    yield effect
                elif not makes_new:
                    yield dataclasses.replace(effect, way="kept")

    def _chosen_by(self, scope: Scope, passed: ir.Expr | None) -> str:
        """The own parameter that decides whether a tracked object is passed: `m if p else None`."""
        bound = self.project.bindings(scope, passed.id) if isinstance(passed, ir.Name) else []
        if len(bound) == 1 and isinstance(bound[0], Located):
            passed = bound[0].expr
        if not isinstance(passed, ir.Choice) or not passed.test:
            return ""
        otherwise = passed.options[1]
        return "" if self.rooted(scope, otherwise) else self.flags.own(scope, passed.test)

    def _to_class(
        self, scope: Scope, class_name: str, call: ir.Call, where: str
    ) -> Iterator[Effect]:
        method = self.hierarchy.method(class_name, "__init__")
        if isinstance(method, Scope):
            value = FunctionValue(method, method.function, bound=True)
            yield from self._to_function(scope, value, call, where, makes_new=True)
        elif method is None and not self.hierarchy.ancestry(class_name).closed:
            yield Effect("unknown", f"it is passed to {short_name(class_name)}", where)

    def _to_instance(
        self, scope: Scope, instance: Instance, call: ir.Call, where: str
    ) -> Iterator[Effect]:
        for class_name in self.finder.classes_of(instance):
            method = self.hierarchy.method(class_name, "__call__")
            if isinstance(method, Scope):
                value = FunctionValue(method, method.function, bound=True)
                yield from self._to_function(scope, value, call, where)
            elif method is None and not self.hierarchy.ancestry(class_name).closed:
                yield Effect("unknown", f"it is passed to {short_name(class_name)}", where)

    def _to_library(
        self, scope: Scope, dotted: str, call: ir.Call, given: list[int], where: str
    ) -> Iterator[Effect]:
        for run in runs_of_library(self.project, dotted, call):
            yield from self._run(scope, run, call.line)
        operands = operands_of(dotted, call, given)
        if operands is not None:
            for function, index in operands:
                yield from self._operand(scope, function, index, where)
            return
        name = nnx_name(dotted)
        short = name.removeprefix("compat.") if name else dotted
        if dotted == "builtins.getattr" and 0 in given and len(call.args) > 1:
            yield from self._named(scope, call)
        if short == "update" and given == [0] and isinstance(call.args[-1], ir.Sequence):
            yield Effect("structure", "nnx.update() with a dictionary may add to it", where)
        if short == "update" and 0 in given and call.args:
            yield from self._updated(scope, call, where)
        if call.args and short in BINDING:
            bound = ir.Call(call.args[0], call.args[1:], call.keywords, call.line)
            yield from self._given(scope, bound, where)
        elif call.args and dotted in MAPPING:
            yield from self._given(scope, mapped(call), where)
        if dotted == "functools.reduce":
            yield from self._given(scope, reduced(call), where)
        if 0 in given and short == "capture":
            for value in self.aliases.values(scope, call.args[0]):
                if isinstance(value, Instance):
                    yield from self._outside_capture(self.finder.of_call(value, where))
        if 0 in given and (is_transform(dotted) or short in BINDING | APPLYING | MAPPING):
            for value in self.aliases.values(scope, call.args[0]):
                if isinstance(value, Instance):
                    yield from self.finder.of_call(value, where)
        verdict = harmless_library_call(dotted)
        if 0 in given and name in STRUCTURAL_METHODS:
            yield _by_method(name, where)  # nnx.Module.sow(self, ...)
        elif verdict is None:
            yield Effect("unknown", f"it is passed to {dotted}", where)
        elif not verdict:
            yield Effect("structure", f"{'nnx.' + name if name else dotted}() changes it", where)

    def _named(self, scope: Scope, call: ir.Call) -> Iterator[Effect]:
        """What `getattr(m, name)` runs, or gives to be run: by a name in sight, or else by any."""
        evaluator = self.finder.evaluator
        names = literal_names(evaluator, scope, call.args[1])
        if names is None:
            held = self.aliases.values(scope, call.args[0])
            found = (methods_by_any_name(evaluator, v) for v in held if isinstance(v, Instance))
            names = frozenset(name for each in found for name in each)
        for name in sorted(names):
            yield from self._read(scope, ir.Attribute(call.args[0], name))

    def _updated(self, scope: Scope, call: ir.Call, where: str) -> Iterator[Effect]:
        """What `nnx.update(m, state)` does beside giving Variables their values."""
        if self._is_state_of_variables(scope, call.args[-1]):
            return
        values = self.aliases.values(scope, call.args[0])
        state = call.args[-1]
        filtered = holds_variables_alone(self.hierarchy, scope, state)
        if not filtered and self.finder.contents.of(values).arrays:
            what = "nnx.update() may set attributes of it that are arrays"
            yield Effect("structure", what, where)
        for value in values:
            if isinstance(value, Instance):
                for effect in self.finder.of_call(value, where):
                    if effect.sows:
                        yield Effect("structure", "nnx.update() may add to it what was sown", where)

    def _is_state_of_variables(self, scope: Scope, state: ir.Expr) -> bool:
        """Whether it is `nnx.state(m, T)` with types of Variables that nobody sows."""
        if not isinstance(state, ir.Call) or self.project.nnx_name(scope, state.func) != "state":
            return False
        types = {self.project.nnx_name(scope, each) for each in state.args[1:]}
        return bool(types) and types <= _UNSOWN

    def _operand(self, scope: Scope, function: ir.Expr, index: int, where: str) -> Iterator[Effect]:
        for value in self.aliases.values(scope, function):
            if not isinstance(value, FunctionValue):
                yield Effect("unknown", "it is passed to a function that is not known", where)
                continue
            parameters = self.project.function(value.scope).parameters
            place = index + (1 if value.bound else 0) + value.partial_args
            if place < len(parameters):
                yield from without_return(self.finder.of(value.scope, parameters[place].name))


def _by_method(name: str, where: str) -> Effect:
    sows = name in {"sow", "perturb"}
    return Effect("structure", f".{name}() changes it", where, sows=sows)
