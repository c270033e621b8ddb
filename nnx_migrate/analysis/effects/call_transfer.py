"""What functions and classes of the project do with an object that they are given."""

from __future__ import annotations

import contextlib
import dataclasses
from collections import defaultdict
from collections.abc import Iterator
from typing import Literal

from nnx_migrate.analysis.callgraph.binding import arguments, leading, parameter_at
from nnx_migrate.analysis.callgraph.call_form import CallForm, unstarred
from nnx_migrate.analysis.domain.values import (
    FunctionValue,
    Instance,
    LibraryValue,
    Located,
    Scope,
    short_name,
)
from nnx_migrate.analysis.effects.aliases.may_alias import Aliases, holding
from nnx_migrate.analysis.effects.aliases.places import displayed, part_given
from nnx_migrate.analysis.effects.causes import (
    Cause,
    ElementReplaced,
    FunctionChanges,
    Kept,
    MethodChanges,
    MethodUnknown,
    PassedTo,
    Returned,
    Unseen,
)
from nnx_migrate.analysis.effects.effect import Done, Effect, Effects
from nnx_migrate.analysis.effects.flags import guards as flags
from nnx_migrate.analysis.effects.never_ran import NeverRan
from nnx_migrate.analysis.effects.summary import EffectFinder
from nnx_migrate.analysis.flax.transforms import spec
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.library.effect_model import MUTATING_METHODS
from nnx_migrate.analysis.library.return_model import ANY_OBJECT
from nnx_migrate.core.place import Place

_VARS = LibraryValue("builtins.vars")
_GETATTR = LibraryValue("builtins.getattr")


class Handing:
    """One object that a function is given, or captures, and the functions that get it from there.

    Args:
        scope: the function.
        parameter: the name that it has the object by.
    """

    #: Tells which expressions are the object.
    follows: type[Aliases] = Aliases

    def __init__(self, finder: EffectFinder, scope: Scope, parameter: str) -> None:
        self.finder = finder
        self.project = finder.project
        self.hierarchy = finder.hierarchy
        self.scope = scope
        self.aliases = self.follows(finder, scope, parameter)
        self.rooted = self.aliases.rooted
        self.flags = flags.Flags(finder.constructors, scope)
        self.never_ran = NeverRan(self.project)
        #: Sets of effects that are joined whole, by their identity; None where each is asked for.
        self.whole: dict[int, Effects] | None = None
        #: Whether the effects that are looked for become others further on.
        self._become_others = False

    @contextlib.contextmanager
    def becoming_others(self, becoming: bool) -> Iterator[None]:
        """Have all effects that are found meanwhile told by themselves, where they change."""
        before = self._become_others
        self._become_others = before or becoming
        try:
            yield
        finally:  # whoever looks for the first effect alone ends it here
            self._become_others = before

    def joined(self, done: Done) -> Iterator[Effect]:
        """The effects of what is run, without those that are joined whole."""
        if self.whole is None or self._become_others:
            yield from done.all
            return
        self.whole.update((id(effects), effects) for effects in done.whole)
        yield from done.each

    def where(self, scope: Scope, line: int) -> Place:
        line = line or self.project.function(scope).line
        return Place(scope.module, line)

    def escape(
        self, way: Literal["returned", "kept in self", "kept"], scope: Scope, line: int
    ) -> Effect:
        cause = Returned() if way == "returned" else Kept()
        return Effect("escape", cause, self.where(scope, line), way)

    def structure(self, cause: Cause, scope: Scope, line: int) -> Effect:
        return Effect("structure", cause, self.where(scope, line))

    def is_self(self, scope: Scope, expr: ir.Expr) -> bool:
        function = self.project.function(scope)
        if function.owner is None or not function.parameters:
            return False
        return ir.is_super(expr) or expr == ir.Name(function.parameters[0].name)

    def is_attributes(
        self, scope: Scope, expr: ir.Expr, seen: frozenset[tuple[Scope, str]] = frozenset()
    ) -> bool:
        """Whether it is the dictionary that holds an object's attributes: `vars(model)`."""
        match expr:
            case ir.Attribute(name="__dict__"):
                return True
            case ir.Call(func=func, args=(_,)):
                return _VARS in self.finder.evaluator.values(scope, func)
            case ir.Call(func=func, args=(_, ir.Constant(text="__dict__"), *_)):
                return _GETATTR in self.finder.evaluator.values(scope, func)
            case ir.Choice(options=parts):
                return any(self.is_attributes(scope, part, seen) for part in parts)
            case ir.Name(id=name) if (scope, name) not in seen:
                return any(
                    isinstance(each, Located)
                    and self.is_attributes(each.scope, each.expr, seen | {(scope, name)})
                    for each in self.project.bindings(scope, name)
                )
            case _:
                return False

    def to_function(
        self,
        scope: Scope,
        value: FunctionValue,
        call: ir.Call,
        where: Place,
        makes_new: bool = False,
    ) -> Iterator[Effect]:
        """What a function of the project does with the arguments of the call that are tracked."""
        function = self.project.function(value.scope)
        if self._leaves_alone(scope, function, value, call):
            return
        given = [*map(unstarred, call.args), *(argument for _, argument in call.keywords)]
        given = [argument for argument in given if self.rooted(scope, argument)]
        passed = list(arguments(function, value, call))
        placed = [argument for _, argument in passed]
        unplaced = [each for each in given if each not in placed]
        if unplaced and _refuses(function, value, call):
            return  # it raises, in both modes
        reached: dict[str, ir.Expr | None] = {
            parameter.name: argument for parameter, argument in passed if argument in given
        }
        spread = [argument for name, argument in call.keywords if name is None]
        for each in unplaced:
            receiving = _receiving(function, passed, call, each, leading(value))
            for parameter, argument in receiving:
                reached.setdefault(parameter.name, argument)
            if not receiving and each not in spread:  # which is empty, or the call raises
                cause = Unseen(f"how {function.name} receives it is unknown")
                yield Effect("unknown", cause, where)
        own = isinstance(call.func, ir.Attribute) and self.is_self(scope, call.func.base)
        for name, argument in reached.items():
            done = self.finder.by_call(value.scope, self._part(scope, value, name, argument))
            flag = self._chosen_by(scope, argument)
            of_attributes = argument is not None and self.is_attributes(scope, argument)
            with self.becoming_others(of_attributes or flag is not None):
                found = self.joined(done)
                if of_attributes:
                    found = map(_of_attributes, found)
                found = self.flags.as_called(scope, call, found, value)
                for effect in flags.only_when(flag, found):
                    if effect.way != "kept in self" or own:
                        yield effect
                    elif not makes_new:
                        yield dataclasses.replace(effect, way="kept")

    def _part(
        self,
        scope: Scope,
        value: FunctionValue,
        name: str,
        argument: ir.Expr | None,
        again: bool = False,
    ) -> str:
        """A parameter with the places at which an argument that is a tuple has the object, or with
        the fact that it is a list or the like that was made for the call."""
        elements = displayed(self.project, scope, argument)
        if elements is None:
            made = argument is not None and (
                self.aliases.is_made_container(scope, argument)
                or self.aliases.is_given_container(scope, argument)
            )
            return holding(name) if made else name
        there = [self.rooted(scope, element) for element in elements]
        return part_given(self.finder, value, name, there, again)

    def _leaves_alone(
        self, scope: Scope, function: ir.Function, value: FunctionValue, call: ir.Call
    ) -> bool:
        """Whether it does nothing with what it is passed by place, and there is nothing else."""
        taking = function.parameters[leading(value) :][: len(call.args)]
        if call.keywords or len(taking) < len(call.args):
            return False
        for argument, parameter in zip(call.args, taking, strict=True):
            if isinstance(argument, ir.Starred) or parameter.kind != "positional":
                return False
            if self.rooted(scope, argument) and self.finder.by_call(value.scope, parameter.name):
                return False
        return True

    def _chosen_by(self, scope: Scope, passed: ir.Expr | None) -> flags.Flag | None:
        """The own parameter that decides whether a tracked object is passed: `m if p else None`."""
        bound = self.project.bindings(scope, passed.id) if isinstance(passed, ir.Name) else []
        if len(bound) == 1 and isinstance(bound[0], Located):
            passed = bound[0].expr
        if not isinstance(passed, ir.Choice) or not passed.test:
            return None
        otherwise = passed.options[1]
        return None if self.rooted(scope, otherwise) else self.flags.named(scope, passed.test)

    def to_class(
        self, scope: Scope, class_name: str, call: ir.Call, where: Place
    ) -> Iterator[Effect]:
        method = self.hierarchy.method(class_name, "__init__")
        if isinstance(method, Scope):
            value = FunctionValue(method, method.function, bound=True)
            yield from self.to_function(scope, value, call, where, makes_new=True)
        elif method is None and not self.hierarchy.ancestry(class_name).closed:
            yield Effect("unknown", PassedTo(short_name(class_name), library=True), where)
        new = self.hierarchy.method(class_name, "__new__")
        if isinstance(new, Scope):
            made = FunctionValue(new, new.function, bound=True)
            yield from self.to_function(scope, made, call, where, makes_new=True)
        after = self.hierarchy.method(class_name, "__post_init__")
        if isinstance(after, Scope) and not isinstance(method, Scope):
            yield from self._after_init(after)

    def _after_init(self, method: Scope) -> Iterator[Effect]:
        """What `__post_init__` does to fields, and to what it is given for those that are none."""
        function = self.project.function(method)
        own = _lines_that_write_self(function)
        for place, parameter in enumerate(function.parameters):
            for effect in self.finder.of(method, parameter.name):
                of_new = effect.where.module == method.module and effect.where.line in own
                if effect.kind == "structure" and not (place == 0 and of_new):
                    yield effect

    def to_instance(
        self, scope: Scope, instance: Instance, call: ir.Call, where: Place
    ) -> Iterator[Effect]:
        methods: dict[Scope, None] = {}
        for class_name in self.finder.classes_met(instance, scope.module):
            for put in self.finder.set_methods(class_name, "__call__"):
                yield from self.to_function(scope, put, call, where)
            method = self.hierarchy.method(class_name, "__call__")
            if isinstance(method, Scope):
                methods[method] = None  # which many classes may have from one above them
            elif method is None and not self.hierarchy.ancestry(class_name).closed:
                yield Effect("unknown", PassedTo(short_name(class_name), library=True), where)
        for method in methods:
            value = FunctionValue(method, method.function, bound=True)
            for effect in self.to_function(scope, value, call, where):
                # Of any Module, one that cannot be called like this is not meant.
                if instance.class_name not in ANY_OBJECT or not isinstance(effect.cause, Unseen):
                    yield effect

    def to_operand(
        self, scope: Scope, function: ir.Expr, index: int, operand: ir.Expr, where: Place
    ) -> Iterator[Effect]:
        """What a function does that control flow runs.

        Args:
            index: the place of the operand among its parameters.
        """
        for value in self.aliases.values(scope, function):
            if not isinstance(value, FunctionValue):
                yield Effect("unknown", PassedTo("an unknown function"), where)
                continue
            parameter = parameter_at(self.project.function(value.scope), value, index)
            if parameter is not None:
                part = self._part(scope, value, parameter.name, operand, again=True)
                yield from self.joined(self.finder.by_call(value.scope, part))


def _lines_that_write_self(function: ir.Function) -> set[int]:
    """The lines of a method that write attributes of its object, and of no other.

    `self.n = 1`, and `object.__setattr__(self, "n", 1)` of a frozen dataclass.
    """
    own = ir.Name(function.parameters[0].name) if function.parameters else None
    written: dict[int, set[ir.Expr]] = defaultdict(set)
    for write in function.writes:
        match write:
            case ir.Write(target=ir.Attribute(base=base), how="set" | "augment" | "delete"):
                written[write.line].add(base)
            case _:
                written[write.line].add(write.target)
    for call in function.calls:
        if ir.last_name(call.func) in {"__setattr__", "__delattr__", "setattr", "delattr"}:
            written[call.line].update(call.args[:1])
    return {line for line, objects in written.items() if objects == {own}}


def _refuses(function: ir.Function, value: FunctionValue, call: ir.Call) -> bool:
    """Whether a function takes no such call: too many arguments, or a keyword that it has not."""
    if not all(spec(name).gives_function for name in value.transforms):
        return False
    if value.bound != (function.owner is not None):
        return False
    return not CallForm.of(call).fits(function, value.bound + value.partial_args)


def _receiving(
    function: ir.Function,
    passed: list[tuple[ir.Parameter, ir.Expr | None]],
    call: ir.Call,
    argument: ir.Expr,
    bound: int,
) -> list[tuple[ir.Parameter, ir.Expr | None]]:
    """The parameters that may get an argument of no certain place, or an element of it.

    Args:
        passed: each parameter with what the call passes for it.
        argument: what stands behind `*` or `**`, what follows a `*`, or what `*args` or `**options`
            collects.
        bound: how many leading parameters have their argument before the call: to name one of them
            among `**options` raises.
    """
    before = function.parameters[:bound]
    if argument in map(unstarred, call.args):
        behind = {ir.Element(each.value) for each in call.args if isinstance(each, ir.Starred)}
        return [(p, given) for p, given in passed if given in behind or p.kind == "star"]
    is_named = any(name and value == argument for name, value in call.keywords)
    return [
        (parameter, given)
        for parameter, given in passed
        if parameter.kind == "double_star"
        or (not is_named and given is None and parameter.kind != "star" and parameter not in before)
    ]


def _of_attributes(effect: Effect) -> Effect:
    """What a function does to the dictionary of an object's attributes, it does to the object."""
    match effect.cause:
        case ElementReplaced() | MethodChanges() | FunctionChanges() as cause:
            return dataclasses.replace(effect, cause=dataclasses.replace(cause, of_attributes=True))
        case MethodUnknown(name=name) if name in MUTATING_METHODS:
            changes = MethodChanges(name, of_attributes=True)
            return dataclasses.replace(effect, kind="structure", cause=changes)
        case _:
            return effect
