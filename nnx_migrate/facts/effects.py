"""What a function does to an object it is given, followed through calls over all modules.

Updates of Variables in place (`m.w[...] = v`) are kept by every transform in both modes and are no
effect here. Everything else that reaches the object's structure is (SEMANTICS 3, 5, 17).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from typing import Literal

from nnx_migrate.facts import ir
from nnx_migrate.facts.callers import argument_for
from nnx_migrate.facts.evaluate import Evaluator
from nnx_migrate.facts.library_effects import harmless_library_call, operands_of
from nnx_migrate.facts.project import layer_of, nnx_name
from nnx_migrate.facts.values import (
    Basic,
    ClassValue,
    ContainerValue,
    FunctionValue,
    Instance,
    LibraryValue,
    ParameterOf,
    Scope,
    TupleValue,
    Value,
    Values,
)

_VARIABLE_READS = frozenset(
    {
        "value",
        "raw_value",
        "shape",
        "dtype",
        "ndim",
        "size",
        "T",
        "at",
        "get_value",
        "get_raw_value",
    }
)
_STRUCTURAL_METHODS = frozenset(
    {"train", "eval", "set_attributes", "sow", "perturb", "set_mode", "append", "extend", "insert"}
)
_PASSING_BUILTINS = frozenset({"zip", "enumerate", "reversed", "list", "tuple", "iter", "sorted"})


@dataclasses.dataclass(frozen=True, slots=True)
class Effect:
    """One thing that happens to the object.

    Args:
        kind: "structure": attributes are created, replaced, deleted, set, sown or popped;
            "escape": the object or a part of it is returned; "unknown": it is given to something
            whose body is not to be seen.
        what: in words, for the finding.
        where: "path:line".
    """

    kind: Literal["structure", "escape", "unknown"]
    what: str
    where: str


Effects = frozenset[Effect]


class EffectFinder:
    """Computes the effects of functions of a project on their parameters."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = evaluator
        self.project = evaluator.project
        self.hierarchy = evaluator.hierarchy
        self._memo: dict[tuple[Scope, str], Effects] = {}

    def of(self, scope: Scope, parameter: str) -> Effects:
        """The effects of function `scope` on its parameter of that name, through all it calls."""
        key = (scope, parameter)
        if key not in self._memo:
            self._memo[key] = frozenset()  # recursion adds nothing that its first round has not
            self._memo[key] = frozenset(_Tracker(self, scope, parameter).effects())
        return self._memo[key]

    def of_method(self, instance: Instance, name: str, where: str) -> Effects:
        """The effects on the object of calling one of its methods."""
        if instance.class_name == "flax.nnx.Module":
            reason = f"what .{name}() runs is not known, because the class of the Module is not"
            return frozenset({Effect("unknown", reason, where)})
        names: tuple[str, ...] = (instance.class_name,)
        if not instance.exact:
            names += self.hierarchy.descendants(instance.class_name)
        found: Effects = frozenset()
        for class_name in dict.fromkeys(names):
            found |= self._of_class_method(instance, class_name, name, where)
        return found

    def _of_class_method(
        self, instance: Instance, class_name: str, name: str, where: str
    ) -> Effects:
        method = self.hierarchy.method(class_name, name)
        if isinstance(method, Scope):
            function = self.project.function(method)
            if not function.parameters:
                return frozenset()
            return self.of(method, function.parameters[0].name) - _escapes(
                self.of(method, function.parameters[0].name)
            )
        if method is None:
            if self.hierarchy.ancestry(class_name).closed and class_name != "flax.nnx.Module":
                return frozenset()
            return frozenset({Effect("unknown", f"what .{name}() runs is not known", where)})
        layer = layer_of(method)
        if layer is not None and name in layer.structural_methods:
            return frozenset({Effect("structure", f"{layer.name}.{name}() changes it", where)})
        found: Effects = frozenset()
        if layer is not None and name == "__call__":
            for inner in instance.wraps:
                found |= self.of_call(inner, where)
        return found

    def of_call(self, value: Value, where: str) -> Effects:
        """The effects on an object of calling it."""
        if isinstance(value, Instance):
            return self.of_method(value, "__call__", where)
        if isinstance(value, Basic) and value.sort == "unknown":
            return frozenset(
                {Effect("unknown", f"what is called is not known: {value.reason}", where)}
            )
        return frozenset()


def _escapes(effects: Effects) -> Effects:
    return frozenset(e for e in effects if e.kind == "escape")


class _Tracker:
    """Follows one parameter of one function through its body and the functions nested in it."""

    def __init__(self, finder: EffectFinder, scope: Scope, parameter: str) -> None:
        self.finder = finder
        self.evaluator = finder.evaluator
        self.project = finder.project
        self.scope = scope
        self.parameter = parameter
        self._rooted: dict[tuple[Scope, ir.Expr], bool] = {}

    def effects(self) -> Iterator[Effect]:
        for scope in self._scopes(self.scope):
            function = self.project.function(scope)
            for write in function.writes:
                yield from self._write(scope, write)
            for call in function.calls:
                yield from self._call(scope, call)
        for value in self.project.function(self.scope).returns:
            if self._escapes(self.scope, value):
                yield self._effect("escape", "it, or a part of it, is returned", self.scope, 0)

    def _scopes(self, scope: Scope) -> Iterator[Scope]:
        yield scope
        for key in self.project.function(scope).nested:
            yield from self._scopes(Scope(scope.module, key))

    def _effect(
        self, kind: Literal["structure", "escape", "unknown"], what: str, scope: Scope, line: int
    ) -> Effect:
        line = line or self.project.function(scope).line
        return Effect(kind, what, f"{self.project.path_of(scope.module)}:{line}")

    def _write(self, scope: Scope, write: ir.Write) -> Iterator[Effect]:
        if write.how in {"item", "key"}:
            if not self.rooted(scope, write.target):
                return
            if write.how == "key" and not self._is_variable(scope, write.target):
                yield self._effect("structure", "an element of it is replaced", scope, write.line)
            return
        target = write.target
        if write.how == "grow":  # the call that does it is looked at as a call
            return
        if not isinstance(target, ir.Attribute) or not self.rooted(scope, target.base):
            return
        if target.name in _VARIABLE_READS:
            return
        verb = {"set": "set", "augment": "updated", "delete": "deleted"}[write.how]
        yield self._effect("structure", f"attribute {target.name} is {verb}", scope, write.line)

    def _is_variable(self, scope: Scope, expr: ir.Expr) -> bool:
        values = self.evaluator.values(scope, expr)
        return bool(values) and all(
            isinstance(v, Instance) and self.finder.hierarchy.kind(v.class_name) == "variable"
            for v in values
        )

    def _call(self, scope: Scope, call: ir.Call) -> Iterator[Effect]:
        where = f"{self.project.path_of(scope.module)}:{call.line}"
        if isinstance(call.func, ir.Attribute) and self.rooted(scope, call.func.base):
            yield from self._method_call(scope, call.func, where)
        elif self.rooted(scope, call.func):
            for value in self._values(scope, call.func):
                yield from self.finder.of_call(value, where)
        given = [
            (place, argument)
            for place, argument in enumerate(call.args)
            if self.rooted(scope, _unstarred(argument))
        ]
        named = [(name, value) for name, value in call.keywords if self.rooted(scope, value)]
        if given or named:
            yield from self._passed(scope, call, given, named, where)

    def _values(self, scope: Scope, expr: ir.Expr) -> Values:
        return self.evaluator.values(scope, expr) or frozenset({Basic("unknown", "not resolved")})

    def _method_call(self, scope: Scope, func: ir.Attribute, where: str) -> Iterator[Effect]:
        if func.name in _VARIABLE_READS or func.name in {"set_value", "copy_from", "replace"}:
            return
        if self._is_local_container(scope, func.base):
            return
        for base in self._values(scope, func.base):
            match base:
                case Instance() if self.finder.hierarchy.method(base.class_name, func.name):
                    if func.name in _STRUCTURAL_METHODS and not self._own_method(base, func.name):
                        yield Effect("structure", f".{func.name}() changes it", where)
                    else:
                        yield from self.finder.of_method(base, func.name, where)
                case _ if func.name in _STRUCTURAL_METHODS:
                    yield Effect("structure", f".{func.name}() changes it", where)
                case Instance() if self.finder.hierarchy.kind(base.class_name) == "module":
                    yield from self._stored_callable(base, func.name, where)
                case Basic(sort="unknown", reason=reason):
                    yield Effect(
                        "unknown", f"what .{func.name}() runs is not known: {reason}", where
                    )

    def _is_local_container(self, scope: Scope, base: ir.Expr) -> bool:
        """Whether a name is bound to nothing but displays: a list of parts is not the object."""
        if not isinstance(base, ir.Name):
            return False
        bindings = self.project.bindings(scope, base.id)
        return bool(bindings) and all(
            not isinstance(b, ParameterOf) and isinstance(b.expr, ir.Sequence) for b in bindings
        )

    def _own_method(self, instance: Instance, name: str) -> bool:
        return isinstance(self.finder.hierarchy.method(instance.class_name, name), Scope)

    def _stored_callable(self, instance: Instance, name: str, where: str) -> Iterator[Effect]:
        """A call of something that the Module keeps as an attribute: `self.encoder(x)`."""
        for value in self.evaluator.member(instance, name):
            yield from self.finder.of_call(value, where)

    def _passed(
        self,
        scope: Scope,
        call: ir.Call,
        given: list[tuple[int, ir.Expr]],
        named: list[tuple[str | None, ir.Expr]],
        where: str,
    ) -> Iterator[Effect]:
        for value in self._values(scope, call.func):
            match value:
                case FunctionValue():
                    yield from self._passed_to_function(value, call, given, named, where)
                case ClassValue(class_name=class_name):
                    yield from self._passed_to_class(class_name, call, given, named, where)
                case LibraryValue(dotted=dotted):
                    yield from self._passed_to_library(scope, dotted, call, given, where)
                case Instance():
                    yield from self._passed_to_instance(value, call, given, named, where)
                case Basic(sort="unknown", reason=reason):
                    yield Effect("unknown", f"it is passed to something unknown: {reason}", where)

    def _passed_to_function(
        self,
        value: FunctionValue,
        call: ir.Call,
        given: list[tuple[int, ir.Expr]],
        named: list[tuple[str | None, ir.Expr]],
        where: str,
    ) -> Iterator[Effect]:
        function = self.project.function(value.scope)
        offset = (1 if value.bound else 0) + value.partial_args
        reached = [
            parameter
            for parameter in function.parameters
            if any(
                argument_for(function, parameter, call, offset) == _unstarred(argument)
                for _, argument in [*given, *named]
            )
        ]
        if len(reached) < len({a for _, a in [*given, *named]}):
            yield Effect("unknown", f"how {function.name} receives it is not known", where)
        for parameter in reached:
            for effect in self.finder.of(value.scope, parameter.name):
                if effect.kind != "escape":
                    yield effect

    def _passed_to_class(
        self,
        class_name: str,
        call: ir.Call,
        given: list[tuple[int, ir.Expr]],
        named: list[tuple[str | None, ir.Expr]],
        where: str,
    ) -> Iterator[Effect]:
        method = self.finder.hierarchy.method(class_name, "__init__")
        if isinstance(method, Scope):
            value = FunctionValue(method, method.function, bound=True)
            yield from self._passed_to_function(value, call, given, named, where)
        elif method is None and not self.finder.hierarchy.ancestry(class_name).closed:
            yield Effect("unknown", f"it is passed to {class_name}", where)

    def _passed_to_instance(
        self,
        instance: Instance,
        call: ir.Call,
        given: list[tuple[int, ir.Expr]],
        named: list[tuple[str | None, ir.Expr]],
        where: str,
    ) -> Iterator[Effect]:
        method = self.finder.hierarchy.method(instance.class_name, "__call__")
        if isinstance(method, Scope):
            value = FunctionValue(method, method.function, bound=True)
            yield from self._passed_to_function(value, call, given, named, where)

    def _passed_to_library(
        self,
        scope: Scope,
        dotted: str,
        call: ir.Call,
        given: list[tuple[int, ir.Expr]],
        where: str,
    ) -> Iterator[Effect]:
        operands = operands_of(dotted, call, [place for place, _ in given])
        if operands is not None:
            for function, index in operands:
                yield from self._operand(scope, function, index, where)
            return
        verdict = harmless_library_call(dotted)
        if verdict is True:
            return
        name = nnx_name(dotted)
        if verdict is False:
            yield Effect("structure", f"{'nnx.' + name if name else dotted}() changes it", where)
        else:
            yield Effect("unknown", f"it is passed to {dotted}", where)

    def _operand(self, scope: Scope, function: ir.Expr, index: int, where: str) -> Iterator[Effect]:
        for value in self._values(scope, function):
            if not isinstance(value, FunctionValue):
                yield Effect("unknown", "it is passed to a function that is not known", where)
                continue
            parameters = self.project.function(value.scope).parameters
            place = index + (1 if value.bound else 0) + value.partial_args
            if place < len(parameters):
                yield from (
                    effect
                    for effect in self.finder.of(value.scope, parameters[place].name)
                    if effect.kind != "escape"
                )

    def rooted(self, scope: Scope, expr: ir.Expr) -> bool:
        """Whether `expr` is the tracked object or a part of it that may hold Variables."""
        key = (scope, expr)
        if key not in self._rooted:
            self._rooted[key] = False
            self._rooted[key] = self._is_rooted(scope, expr)
        return self._rooted[key]

    def _is_rooted(self, scope: Scope, expr: ir.Expr) -> bool:
        match expr:
            case ir.Name(id=name):
                return any(
                    (binding.scope == self.scope and binding.parameter.name == self.parameter)
                    if isinstance(binding, ParameterOf)
                    else self.rooted(binding.scope, binding.expr)
                    for binding in self.project.bindings(scope, name)
                )
            case ir.Attribute(base=base, name=name):
                return (
                    name not in _VARIABLE_READS
                    and self.rooted(scope, base)
                    and self._may_hold_variables(scope, expr)
                )
            case ir.Element(base=base) | ir.Unpacked(base=base):
                return self.rooted(scope, base) and not self._is_variable(scope, base)
            case ir.Choice(options=options):
                return any(self.rooted(scope, option) for option in options)
            case ir.Sequence(elements=elements):
                return any(self.rooted(scope, element) for element in elements)
            case ir.Starred(value=value):
                return self.rooted(scope, value)
            case ir.Call(func=ir.Name(id=name), args=args) if name in _PASSING_BUILTINS:
                return any(self.rooted(scope, arg) for arg in args)
            case _:
                return False

    def _may_hold_variables(self, scope: Scope, expr: ir.Expr) -> bool:
        return any(_may_hold(v) for v in self._values(scope, expr))

    def _escapes(self, scope: Scope, value: ir.Expr) -> bool:
        match value:
            case ir.Sequence(elements=elements):
                return any(self._escapes(scope, element) for element in elements)
            case ir.Choice(options=options):
                return any(self._escapes(scope, option) for option in options)
            case ir.Name(id=name) if not self.rooted(scope, value):
                return any(
                    self._escapes(b.scope, b.expr)
                    for b in self.project.bindings(scope, name)
                    if not isinstance(b, ParameterOf)
                    and b.scope == scope
                    and isinstance(b.expr, ir.Call | ir.Sequence)
                )
            case ir.Call(func=func, args=args):
                views = {"state", "split", "variables", "pop", "view", "compat.state"}
                called = self.project.nnx_name(scope, func)
                return called in views and any(self.rooted(scope, arg) for arg in args[:1])
            case _:
                return self.rooted(scope, value)


def _may_hold(value: Value) -> bool:
    match value:
        case Basic(sort="plain" | "array" | "graphdef") | LibraryValue() | ClassValue():
            return False
        case FunctionValue():
            return False
        case ContainerValue(element=element):
            return not element or any(_may_hold(v) for v in element)
        case TupleValue(elements=elements):
            return any(_may_hold(v) for part in elements for v in part)
        case _:
            return True


def _unstarred(expr: ir.Expr) -> ir.Expr:
    return ir.Element(expr.value) if isinstance(expr, ir.Starred) else expr


def worst(effects: Iterable[Effect]) -> Effect | None:
    """The effect that decides: a known structural one before an escape before an unknown one."""
    order = {"structure": 0, "escape": 1, "unknown": 2}
    return min(effects, key=lambda e: (order[e.kind], e.where), default=None)
