"""Walks a function's body, and those nested in it, for what happens to one of its parameters."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator

from nnx_migrate.analysis.callgraph.call_context import Passed
from nnx_migrate.analysis.callgraph.call_form import CallForm
from nnx_migrate.analysis.callgraph.dunder_dispatch import runs_in
from nnx_migrate.analysis.domain.fixpoint import Lasts
from nnx_migrate.analysis.domain.values import (
    Basic,
    ContainerValue,
    FunctionValue,
    Instance,
    Scope,
    Value,
)
from nnx_migrate.analysis.effects.aliases.keepers import done_by_keepers, stored_in
from nnx_migrate.analysis.effects.aliases.may_alias import Aliases
from nnx_migrate.analysis.effects.argument_transfer import Giving
from nnx_migrate.analysis.effects.attribute_transfer import by_method
from nnx_migrate.analysis.effects.capture_scope import captured_reads, is_capture
from nnx_migrate.analysis.effects.causes import (
    CalleeUnknown,
    KeywordAsks,
    MethodChanges,
    MethodUnknown,
    TextExecuted,
    Unseen,
)
from nnx_migrate.analysis.effects.condensed import ENOUGH, Sorts, condensed
from nnx_migrate.analysis.effects.effect import Effect, Effects
from nnx_migrate.analysis.effects.flags import guards as flags
from nnx_migrate.analysis.effects.flags import tested_fields as tested
from nnx_migrate.analysis.effects.popped import Popped
from nnx_migrate.analysis.effects.summary import EffectFinder
from nnx_migrate.analysis.flax.model import asking_keywords
from nnx_migrate.analysis.flax.names import layer_of
from nnx_migrate.analysis.heap.reachable_variables import ContentsFinder
from nnx_migrate.analysis.interp.attributes import having, member
from nnx_migrate.analysis.interp.containers.dict_items import item_by_name
from nnx_migrate.analysis.interp.interpreter import CalledWith, Evaluator
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.library.effect_model import (
    CHANGING_METHODS,
    MUTATING_METHODS,
    TAKING_METHODS,
    VARIABLE_READS,
)
from nnx_migrate.analysis.symbols.imports.import_graph import is_test_file
from nnx_migrate.core.place import Place

_VARIABLE_METHODS = VARIABLE_READS | {"set_value", "copy_from", "replace"}
_EXECUTING = (ir.Name("exec"), ir.Name("eval"))


class Tracker(Giving):
    """Finds the effects of one function on one of its parameters."""

    #: What is sown in the function, and popped further down in it, is no effect of it.
    balances = True

    def effects(self) -> Iterator[Effect]:
        for _, _, effect in self.placed():
            if effect.flag is None:  # as most are
                yield effect
                continue
            kept = self.flags.kept(effect.flag)
            if kept is not None and self.never_ran.flag(*kept):
                continue
            yield effect if kept == effect.flag else dataclasses.replace(effect, flag=kept)

    def all(self) -> Effects:
        """The effects, of which those that calls leave as they are are joined as sets."""
        self.whole = {}
        # Most come by way of many calls, and hashing takes longer than an identity.
        told = {id(each): each for each in self.effects()}
        same = self.finder.same
        each = [same.setdefault(effect, effect) for effect in told.values()]
        found = frozenset(each).union(*self.whole.values())
        self.whole = None
        return found

    def placed(self) -> Iterator[tuple[Scope, int, Effect]]:
        """The effects with the function, of those defined in it, and the line that each is in.

        The line is 0 where it is that of the whole function.
        """
        popped = Popped(self.finder, self.scope, self.aliases.parameter)
        for scope in self.project.within(self.scope):
            function = self.project.function(scope)
            unwritten = [write for write, _ in self.never_ran.writes(scope)]
            guards = dict(function.write_guards)
            for place, write in enumerate(function.writes):
                if write in unwritten:
                    continue
                found = self._guarded(scope, guards.get(place, ""), self.write(scope, write))
                yield from ((scope, write.line, each) for each in found)
            guards = dict(function.guards)
            never = [call for call, _ in self.never_ran.sows(scope)]
            for place, call in enumerate(function.calls):
                if call in never:
                    continue
                done = self._call(scope, call, place in function.of_new)
                effects = self._guarded(scope, guards.get(place, ""), done)
                balanced = self.balances and scope == self.scope
                left = popped.left(place, effects) if balanced else effects
                yield from ((scope, call.line, each) for each in left)
            captured = captured_reads(self.project, scope)
            for read in function.reads:
                effects = self.read(scope, read)
                effects = self.outside_capture(effects) if read in captured else effects
                yield from ((scope, 0, each) for each in effects)
            for run in runs_in(self.project, function):
                yield from ((scope, 0, each) for each in self.run(scope, run, 0))
        if self.gives_back():
            yield self.scope, 0, self.escape("returned", self.scope, 0)

    def gives_back(self) -> bool:
        """Whether the object, or a part of it, is returned."""
        function = self.project.function(self.scope)
        returned = (*function.returns, *function.yields)
        return any(self.aliases.escapes(self.scope, value) for value in returned)

    def _guarded(self, scope: Scope, guard: str, effects: Iterable[Effect]) -> Iterator[Effect]:
        """Effects of what stands under a test, with what has to be true for that."""
        flag = self.flags.named(scope, guard)
        field = tested.field_tested(self.finder.evaluator, scope, guard)
        with self.becoming_others(flag is not None or field is not None):
            yield from tested.only_when(field, flags.only_when(flag, effects))

    def _call(self, scope: Scope, call: ir.Call, of_new: bool) -> Iterator[Effect]:
        """What a call does to the object.

        Args:
            of_new: it is a method of a list or the like that the function itself has made.
        """
        where = self.where(scope, call.line)
        func = call.func
        if of_new and ir.last_name(func) == "sort":
            yield from self.given_with(scope, call)
            return
        if of_new and ir.last_name(func) in MUTATING_METHODS and not call.keywords:
            return  # what it puts in, or takes out, is not changed by that
        if func in _EXECUTING and not self.project.bindings(scope, ir.last_name(func)):
            yield Effect("unknown", TextExecuted(ir.last_name(func)), where)
        if isinstance(func, ir.Attribute) and ir.is_super(func.base):
            if self.rooted(scope, func.base):
                yield from self._super_call(scope, func.name, where)
        elif isinstance(func, ir.Attribute) and self.rooted(scope, func.base):
            effects = _of_form(self._method_call(scope, func, where), call, where)
            yield from self.flags.as_called(scope, call, effects)
            yield from self._asked_for(scope, call, where)
            if func.name == "sort":
                yield from self.given_with(scope, call)
        elif (own := self._unbound(scope, call)) is not None:
            yield from self._method_call(scope, own, where)
        elif isinstance(func, ir.Call) and is_capture(self.project, scope, func):
            inner = ir.Call(func.args[0], call.args, call.keywords, call.line)
            yield from self.outside_capture(self.given(scope, inner, where))
            return
        elif self.rooted(scope, func):
            for value in self.callees(scope, func):
                called = value if isinstance(value, Instance | FunctionValue) else None
                partial = isinstance(value, Instance) and value.partial
                done = self.finder.of_call(value, where)
                found = self._at_home(value, self.joined(done))
                found = found if partial else _of_form(found, call, where)
                yield from self.flags.as_called(scope, call, found, called)
            yield from self._asked_for(scope, call, where)
        yield from self.given(scope, call, where)
        for done in done_by_keepers(self.aliases, scope, call):
            yield from self.flags.as_called(scope, call, self.joined(done))

    def _unbound(self, scope: Scope, call: ir.Call) -> ir.Attribute | None:
        """The method that `type(m).run(m)`, or `m.__class__.run(m)`, calls on m; else None."""
        match call.func:
            case ir.Attribute(base=ir.Call(func=ir.Name(id="type"), args=(own,)), name=name):
                pass
            case ir.Attribute(base=ir.Attribute(base=own, name="__class__"), name=name):
                pass
            case _:
                return None
        same = call.args[:1] == (own,) and self.rooted(scope, own)
        return ir.Attribute(own, name) if same else None

    def _asked_for(self, scope: Scope, call: ir.Call, where: Place) -> Iterator[Effect]:
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
                if keyword is None and self.never_ran.keywords(scope, given, asking):
                    continue
                if keyword in {None, "**", *asking} and given not in flags.FALSE:
                    sows = "sow_weights" in asking
                    cause = KeywordAsks(layer.name, keyword or "**", sows)
                    flag = self.flags.named(scope, flags.spelled(given) if keyword else "")
                    asked = Effect("structure", cause, where, sows=sows)
                    yield from flags.only_when(flag, [asked])

    def _super_call(self, scope: Scope, name: str, where: Place) -> Iterator[Effect]:
        owner = f"{scope.module}:{self.project.function(scope).owner}"
        if name in CHANGING_METHODS:
            yield Effect("structure", MethodChanges(name), where)
        for method in self.hierarchy.super_methods(owner, name):
            layer = layer_of(method) if isinstance(method, str) else None
            if isinstance(method, Scope):
                yield from self.joined(self.finder.of_own_method(method))
            elif layer is not None and name in layer.structural_methods:
                yield Effect("structure", MethodChanges(name, layer.name), where)
        for above in self.hierarchy.ancestry(owner).classes[1:]:
            for each in self.finder.evaluator.stored(above, name):  # `touch = touch` in its body
                for value in self.finder.evaluator.values(each.scope, each.expr):
                    if isinstance(value, FunctionValue):
                        yield from self.joined(self.finder.of_own_method(value.scope))
        if not self.hierarchy.ancestry(owner).closed:
            yield Effect(
                "unknown", Unseen(f"the code that super().{name}() runs is unknown"), where
            )

    def _method_call(self, scope: Scope, func: ir.Attribute, where: Place) -> Iterator[Effect]:
        name = func.name
        if name in _VARIABLE_METHODS and self.aliases.reads_variable(scope, func.base):
            return
        if self.aliases.is_made_container(scope, func.base):
            return
        if name in TAKING_METHODS and self.aliases.is_given_container(scope, func.base):
            return  # what is put in it may be a part of another object, and counts
        if self.is_attributes(scope, func.base):
            if name in MUTATING_METHODS:
                yield Effect("structure", MethodChanges(name, of_attributes=True), where)
            return
        for base in having(self.finder.evaluator, self.aliases.values(scope, func.base), name):
            match base:
                case Instance():
                    yield from self._at_home(base, self.looked_up(scope, func, base))
                    yield from self._at_home(base, self._instance_method(base, name, where))
                case _ if name in CHANGING_METHODS:
                    yield by_method(name, where, self.keeps(scope, func.base))
                case ContainerValue() if name in MUTATING_METHODS:
                    of_object = self.keeps(scope, func.base)
                    yield Effect("structure", MethodChanges(name, of_object=of_object), where)
                case Basic(sort="unknown", reason=reason, hidden=hidden):
                    yield Effect("unknown", MethodUnknown(name, reason, hidden), where)
                case _:
                    for value in item_by_name(base, name):
                        yield from self.joined(self.finder.of_kept(value, name, where))

    def _at_home(self, value: Value, effects: Iterable[Effect]) -> Iterator[Effect]:
        """Effects on objects of a class that only some programs have, with the file of that."""
        name = value.class_name if isinstance(value, Instance) else ""
        home, colon, _ = name.partition(":")
        started = bool(colon) and self.project.modules[home].is_started
        stays = colon and (is_test_file(home) or self.project.modules[home].stands)
        if not stays and not started:
            yield from effects
            return
        with self.becoming_others(True):
            for effect in effects:
                known = effect.home or (home == effect.where.module and not started)
                yield effect if known else dataclasses.replace(effect, home=home)

    def _instance_method(self, base: Instance, name: str, where: Place) -> Iterator[Effect]:
        methods = [self.hierarchy.method(c, name) for c in self.hierarchy.classes_of(base)]
        kind = self.hierarchy.kind(base.class_name)
        if any(isinstance(method, Scope) for method in methods):
            yield from self.joined(self.finder.of_method(base, name, where))
        elif self.changes_itself(base, name):
            yield by_method(name, where)
        elif any(methods):
            yield from self.joined(self.finder.of_method(base, name, where))
        elif kind == "module":  # a call of something that it keeps: `self.encoder(x)`
            for value in member(self.finder.evaluator, base, name):
                yield from self.joined(self.finder.of_kept(value, name, where))
            for class_name in self.hierarchy.classes_of(base):
                yield from self.joined(self.finder.of_set_methods(class_name, name))
        else:
            yield from self.joined(self.finder.of_method(base, name, where))


def _of_form(effects: Iterable[Effect], call: ir.Call, where: Place) -> Iterator[Effect]:
    """The effects of a call at a place, where what it runs is not known with the form of it."""
    for effect in effects:
        cause = effect.cause
        if (
            isinstance(cause, MethodUnknown | CalleeUnknown)
            and cause.form is None
            and effect.where == where
        ):
            told = dataclasses.replace(cause, form=CallForm.of(call))
            yield dataclasses.replace(effect, cause=told)
        else:
            yield effect


class UnbalancedTracker(Tracker):
    """Tells what lies on the object at any point: a pop may come behind that."""

    balances = False


class TrackedEffects(EffectFinder):
    """Finds effects by walking each function."""

    def __init__(
        self, evaluator: Evaluator, contents: ContentsFinder, lasting: Lasts | None = None
    ) -> None:
        super().__init__(evaluator, contents, lasting)
        #: Of functions that do more than is told apart, that and what is told of it.
        self._condensed: dict[tuple[Scope, str], tuple[Effects, Effects]] = {}
        self._sorts = Sorts()

    def _tracked(self, scope: Scope, parameter: str) -> Effects:
        found = Tracker(self, scope, parameter).all()
        if len(found) <= ENOUGH:
            return found
        # In the rounds of a circle most functions do what they did in the one before.
        before, known = self._condensed.get((scope, parameter), (None, found))
        if before != found:
            known = condensed(found, scope.module, self._sorts)
            self._condensed[scope, parameter] = found, known
        return known

    def _gives_back(self, scope: Scope, parameter: str) -> bool:
        return Tracker(self, scope, parameter).gives_back()

    def _stored_by(self, scope: Scope, parameter: str, keeper: str) -> frozenset[str]:
        return stored_in(Aliases(self, scope, parameter), scope, ir.Name(keeper))

    def _unbalanced(self, scope: Scope, parameter: str) -> Effects:
        return UnbalancedTracker(self, scope, parameter).all()


class EffectsOfCall(TrackedEffects):
    """Finds what one function does where a call passes it some objects, and other calls others.

    What the functions do that it calls has the answers that are kept for everyone.
    """

    def __init__(self, joined: EffectFinder, scope: Scope, passed: Passed) -> None:
        super().__init__(CalledWith(joined.evaluator, scope, passed), joined.contents)
        self.added, self.constructors = joined.added, joined.constructors
        self._joined = joined
        self._scope = scope

    def of(self, scope: Scope, parameter: str) -> Effects:
        found = super().of if scope == self._scope else self._joined.of
        return found(scope, parameter)
