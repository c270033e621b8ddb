"""What a call does to an object that it is given."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from nnx_migrate.analysis.callgraph.binding import arguments, unbound
from nnx_migrate.analysis.callgraph.call_form import CallForm, mapped, unstarred
from nnx_migrate.analysis.callgraph.dunder_dispatch import runs_of_library, runs_of_name
from nnx_migrate.analysis.callgraph.lattice import outside_circles
from nnx_migrate.analysis.callgraph.transformed import CAPTURED
from nnx_migrate.analysis.domain.values import (
    NAMED_AT_RUN_TIME,
    Basic,
    ClassValue,
    ContainerValue,
    FunctionValue,
    Instance,
    LibraryValue,
    Located,
    Scope,
    Value,
    Values,
)
from nnx_migrate.analysis.effects.attribute_transfer import Touching, by_method
from nnx_migrate.analysis.effects.causes import (
    UNKNOWN_CODE,
    FunctionChanges,
    PassedTo,
    UpdateAdds,
)
from nnx_migrate.analysis.effects.effect import Effect
from nnx_migrate.analysis.effects.popped import call_giving, popped_parameters, types_given
from nnx_migrate.analysis.flax.names import nnx_name
from nnx_migrate.analysis.flax.transforms import spec
from nnx_migrate.analysis.heap.state_filters import holds_variables_alone
from nnx_migrate.analysis.interp.string_constants import literal_names, methods_by_any_name
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.library.effect_model import (
    APPLYING,
    ATTRIBUTE_METHODS,
    BINDING,
    CHANGING_METHODS,
    GROWING_METHODS,
    MAPPING,
    NAMING,
    harmless_library_call,
    operands_of,
)
from nnx_migrate.analysis.library.return_model import SOWING, is_transform
from nnx_migrate.analysis.symbols.higher_order import calls_of_fold
from nnx_migrate.core.place import Place

#: Types of Variables that are in a Module from the start.
_UNSOWN = frozenset({"Param", "BatchStat", "Cache", "RngState", "RngKey", "RngCount"})


class Giving(Touching):
    """Looks at calls that are given the object, or a part of it."""

    def given(
        self, scope: Scope, call: ir.Call, where: Place, *, whole: bool = True
    ) -> Iterator[Effect]:
        """What whatever is called does with those of its arguments that are the object.

        Args:
            whole: the call passes all that is passed; otherwise it binds arguments of a later one.
        """
        given = [i for i, arg in enumerate(call.args) if self.rooted(scope, unstarred(arg))]
        named = [name for name, value in call.keywords if self.rooted(scope, value)]
        if not given and not named:
            return
        func = call.func
        for run in runs_of_name(self.project, call):
            yield from self.run(scope, run, call.line)
        if isinstance(func, ir.Attribute) and func.name in GROWING_METHODS:
            values = self.aliases.values(scope, func.base)
            held = any(isinstance(v, ContainerValue) for v in values)
            if held and not self.aliases.is_local_container(scope, func.base):
                yield self.kept(scope, func.base, call.line)
                yield from self.by_readers(scope, func.base)
        callees = self.callees(scope, func)
        if self._writes_attribute(call, given, callees):
            yield by_method(ir.last_name(func), where)
        for value in callees:
            match value:
                case FunctionValue():
                    effects = self.to_function(scope, value, call, where)
                    captured = any(name.startswith(CAPTURED) for name in value.transforms)
                    yield from self.outside_capture(effects) if captured else effects
                case ClassValue(class_name=class_name):
                    yield from self.to_class(scope, class_name, call, where)
                case LibraryValue(dotted=dotted):
                    yield from self.to_library(scope, dotted, call, given, where)
                case Instance():
                    yield from self.to_instance(scope, value, call, where)
                case Basic(sort="unknown", reason=reason, hidden=hidden):
                    called = ir.last_name(func)
                    form = self._form(scope, call) if whole else None
                    cause = PassedTo(UNKNOWN_CODE, called, reason, hidden, form=form)
                    yield Effect("unknown", cause, where)
                    yield from self.given_with(scope, call)

    def _form(self, scope: Scope, call: ir.Call) -> CallForm:
        return CallForm.of(call, lambda argument: self.rooted(scope, argument))

    def callees(self, scope: Scope, func: ir.Expr) -> Values:
        """What may be called, and what is not known of it."""
        values = outside_circles(self.aliases.values(scope, func))
        put = frozenset(self._put_in_place(scope, func)) if isinstance(func, ir.Attribute) else ()
        return values.union(put) if put else values

    def _put_in_place(self, scope: Scope, func: ir.Attribute) -> Iterator[Value]:
        """The functions that are stored under the name of a method, in its class or an object."""
        for base in self.aliases.values(scope, func.base):
            if not isinstance(base, Instance):
                continue
            for class_name in self.finder.classes_met(base, scope.module):
                if isinstance(self.hierarchy.method(class_name, func.name), Scope):
                    yield from self.finder.set_methods(class_name, func.name)
                    for stored in self._stored_in(class_name, func.name):
                        values = self.finder.evaluator.values(stored.scope, stored.expr)
                        yield from (each for each in values if isinstance(each, FunctionValue))

    def _stored_in(self, class_name: str, name: str) -> Iterator[Located]:
        """What methods of a class store under a name, and what others do in its objects."""
        evaluator = self.finder.evaluator
        yield from evaluator.stored(class_name, name)
        above = self.hierarchy.ancestry(class_name).classes
        for scope, write in evaluator.callers.mentions.outside_writes(name):
            if isinstance(write.target, ir.Attribute) and write.value is not None:
                holders = evaluator.values(scope, write.target.base)
                if any(isinstance(each, Instance) and each.class_name in above for each in holders):
                    yield Located(scope, write.value)

    def _writes_attribute(self, call: ir.Call, given: list[int], callees: Values) -> bool:
        """`type(model).__setattr__(model, "n", 1)`, by whatever class that is no project's own."""
        by_class = isinstance(call.func, ir.Attribute) and call.func.name in ATTRIBUTE_METHODS
        seen = any(isinstance(v, FunctionValue | LibraryValue) for v in callees)
        return by_class and given[:1] == [0] and not seen

    def outside_capture(self, effects: Iterable[Effect]) -> Iterator[Effect]:
        """The effects of what runs in `nnx.capture`: values of the types that it is told are
        collected and removed, and those of other types are not stored at all."""
        return (effect for effect in effects if not effect.collected)

    def to_library(
        self, scope: Scope, dotted: str, call: ir.Call, given: list[int], where: Place
    ) -> Iterator[Effect]:
        for run in runs_of_library(self.project, dotted, call):
            yield from self.run(scope, run, call.line)
        if operands_of(dotted, call, given) is not None:
            for place in given:
                for function, index in operands_of(dotted, call, [place]) or ():
                    yield from self.to_operand(scope, function, index, call.args[place], where)
            return
        name = nnx_name(dotted)
        short = name.removeprefix("compat.") if name else dotted
        if dotted == "builtins.getattr" and 0 in given and len(call.args) > 1:
            yield from self._named(scope, call)
        if short == "update" and given == [0] and isinstance(call.args[-1], ir.Sequence):
            yield Effect("structure", UpdateAdds("with a dictionary"), where)
        if short == "update" and 0 in given and call.args:
            yield from self._updated(scope, call, where)
        if call.args and short in BINDING:
            bound = ir.Call(call.args[0], call.args[1:], call.keywords, call.line)
            yield from self.given(scope, bound, where, whole=False)
        elif call.args and dotted in MAPPING:
            yield from self.given(scope, mapped(call), where)
        for folded in calls_of_fold(dotted, call):
            yield from self.given(scope, folded, where)
        if 0 in given and spec(short).collects:
            for value in self.aliases.values(scope, call.args[0]):
                if isinstance(value, Instance):
                    done = self.finder.of_call(value, where)
                    yield from self.outside_capture(self.joined(done))
        if 0 in given and (is_transform(dotted) or short in BINDING | APPLYING | MAPPING):
            for value in self.aliases.values(scope, call.args[0]):
                if isinstance(value, Instance):
                    yield from self.joined(self.finder.of_call(value, where))
        if dotted == SOWING:
            yield self.kept(scope, call.func, call.line)
        if name is None and dotted not in MAPPING | BINDING | {"functools.reduce"}:
            yield from self.given_with(scope, call)
        verdict = harmless_library_call(dotted)
        method = name.rpartition(".")[2] if name else ""
        if 0 in given and method in CHANGING_METHODS:
            yield by_method(method, where)  # nnx.Module.sow(self, ...)
        elif 0 in given and dotted in NAMING:
            yield Effect("structure", FunctionChanges("functools.update_wrapper"), where)
        elif verdict is None:
            yield Effect("unknown", _passed_to(dotted), where)
        elif (stored := ir.stored_by_name(call)) is not None and 0 not in given:
            yield from self.write(scope, stored)
        elif not verdict:
            of_attributes = any(self.is_attributes(scope, call.args[place]) for place in given)
            yield Effect("structure", FunctionChanges(dotted, of_attributes), where)

    def given_with(self, scope: Scope, call: ir.Call) -> Iterator[Effect]:
        """What functions do that are given along with it: `run(f, m)`, `models.sort(key=f)`."""
        for argument in (*call.args, *(value for _, value in call.keywords)):
            for value in self.aliases.values(scope, unstarred(argument)):
                if not isinstance(value, FunctionValue):
                    continue
                for parameter in unbound(self.project.function(value.scope), value):
                    found = self.finder.of(value.scope, parameter.name)
                    yield from (effect for effect in found if effect.kind == "structure")

    def _named(self, scope: Scope, call: ir.Call) -> Iterable[Effect]:
        """What `getattr(m, name)` runs, or gives to be run: by a name in sight, or else by any."""
        evaluator = self.finder.evaluator
        names = literal_names(evaluator, scope, call.args[1])
        if names is None:
            held = self.aliases.values(scope, call.args[0])
            found = (methods_by_any_name(evaluator, v) for v in held if isinstance(v, Instance))
            names = frozenset(name for each in found for name in each)
        rooted = self.rooted(scope, call.args[0])
        return self.read_any(scope, call.args[0], sorted(names)) if rooted else ()

    def _updated(self, scope: Scope, call: ir.Call, where: Place) -> Iterator[Effect]:
        """What `nnx.update(m, state)` does beside giving Variables their values."""
        if self._is_state_of_variables(scope, call.args[-1]):
            return
        types = types_given(self.finder.evaluator, scope, call.args[-1])
        if types:
            added = Effect("structure", UpdateAdds("sown values", types), where, sows=True)
            sown = self._popped_by_call(scope, call)
            asked = [added] if sown is None else [each.as_condition_of(added) for each in sown]
            yield from dict.fromkeys(asked)
            return
        values = self.aliases.values(scope, call.args[0])
        filtered = holds_variables_alone(self.finder.evaluator, scope, call.args[-1])
        if not filtered and self.finder.contents.of(values).arrays:
            yield Effect("structure", UpdateAdds("arrays"), where)
        for value in values:
            if isinstance(value, Instance):
                for effect in self.finder.of_call(value, where).each:
                    if effect.sows:
                        yield Effect("structure", UpdateAdds("sown values"), where)

    def _popped_by_call(self, scope: Scope, update: ir.Call) -> list[Effect] | None:
        """What is sown in the call that popped what is put back; None where that isn't seen.

        What lay on the object before is popped, too: to put that back adds nothing to it.
        """
        call = call_giving(self.project, scope, update)
        found: list[Effect] = []
        for value in self.callees(scope, call.func) if call is not None else ():
            passed = self._popped_from(scope, value, call) if call is not None else None
            if call is None or passed is None or not isinstance(value, FunctionValue):
                return None
            sown = (e for e in self.finder.before_pops(value.scope, passed) if e.sows)
            found += self.flags.as_called(scope, call, sown, value)
        return found if call is not None else None

    def _popped_from(self, scope: Scope, value: Value, call: ir.Call) -> str | None:
        """The parameter that gets the object, where it is all that a function pops from."""
        if not isinstance(value, FunctionValue):
            return None
        function = self.project.function(value.scope)
        passed = list(arguments(function, value, call))
        if value.bound and isinstance(call.func, ir.Attribute) and function.parameters:
            passed[0] = (function.parameters[0], call.func.base)
        given = [p.name for p, each in passed if each is not None and self.rooted(scope, each)]
        popped = popped_parameters(self.project, value.scope)
        return given[0] if len(given) == 1 and popped == set(given) else None

    def _is_state_of_variables(self, scope: Scope, state: ir.Expr) -> bool:
        """Whether it is `nnx.state(m, T)` with types of Variables that nobody sows."""
        if not isinstance(state, ir.Call) or self.project.nnx_name(scope, state.func) != "state":
            return False
        types = {self.project.nnx_name(scope, each) for each in state.args[1:]}
        return bool(types) and types <= _UNSOWN


def _passed_to(dotted: str) -> PassedTo:
    """Being passed to a function of another package, or to what a computed text names there."""
    if dotted.endswith(NAMED_AT_RUN_TIME):
        return PassedTo(UNKNOWN_CODE, "", f"{NAMED_AT_RUN_TIME}, by getattr()", "run time")
    return PassedTo(dotted, library=True)
