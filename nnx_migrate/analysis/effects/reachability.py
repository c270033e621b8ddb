"""What runs inside a function: mode-dependent nnx calls that it reaches, and what is not seen.

One obstacle is enough to know, and most functions have one near, so they are found lazily.
"""

from __future__ import annotations

import dataclasses
import enum
from collections import deque
from collections.abc import Iterator

from nnx_migrate.analysis.callgraph.dunder_dispatch import methods_implied
from nnx_migrate.analysis.domain.containers import parts_of
from nnx_migrate.analysis.domain.unknown import Unknown, unknown, unknown_attribute
from nnx_migrate.analysis.domain.values import (
    Basic,
    ClassValue,
    ContainerValue,
    FunctionValue,
    Instance,
    LibraryValue,
    Scope,
    TupleValue,
    Value,
    Values,
    scope_around,
    short_name,
)
from nnx_migrate.analysis.domain.witnesses import in_order
from nnx_migrate.analysis.flax.model import mode_dependent_functions
from nnx_migrate.analysis.flax.names import nnx_name
from nnx_migrate.analysis.flax.transforms import SETTERS
from nnx_migrate.analysis.interp.containers.sequential_layers import held_by_layer
from nnx_migrate.analysis.interp.interpreter import Evaluator
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.core.place import Place, refers_to
from nnx_migrate.core.refusal import Cause, Refusal

_MAY_BE_FUNCTIONS = (
    ir.Name | ir.Attribute | ir.FunctionRef | ir.Sequence | ir.Choice | ir.Starred | ir.Element
)

#: The setters, which are asked for here as decorators already there.
_SETTERS = frozenset(SETTERS)
_ANY_MODULE = frozenset({"flax.nnx.Module", "flax.nnx.bridge.Module"})


@enum.unique
class Reached(Cause):
    """What a function reaches that depends on the mode, or is not seen."""

    DEPENDS = "nnx.{function} ({place})"
    ANY_MODULE = "a Module of unknown class ({place})"
    ATTRIBUTE = "attribute {name} of {holder} ({place})"
    UNKNOWN = "{reason} ({place})"
    CONTAINER = "the called code is unknown ({place})"
    OPEN_CLASS = "{name} of {holder} ({place})"


def is_attribute(obstacle: Refusal, *names: str) -> bool:
    """Whether it is a call of an attribute of one of these names, which no class shows."""
    return obstacle.cause is Reached.ATTRIBUTE and dict(obstacle.names)["name"] in names


@dataclasses.dataclass(frozen=True, slots=True)
class _Step:
    """What one function runs itself.

    Args:
        entered: the functions that it runs.
        obstacles: what in it depends on the mode, or is not seen.
    """

    entered: tuple[Scope, ...]
    obstacles: tuple[Refusal, ...]

    def concerns(self, modules: frozenset[str]) -> bool:
        """Whether it is about something in one of these modules."""
        return any(scope.module in modules for scope in self.entered) or any(
            refers_to(str(each), module) for each in self.obstacles for module in modules
        )


#: The steps of functions that were looked at to their end.
_Steps = dict[Scope, _Step]


class ExtentFinder:
    """Walks the call graph from a function.

    Args:
        before: of the project that this one is but for a file.
    """

    def __init__(self, evaluator: Evaluator, before: ExtentFinder | None = None) -> None:
        self.evaluator = evaluator
        self._before = before
        self._steps: dict[tuple[frozenset[str], bool], _Steps] = {}

    def _known(self, harmless: frozenset[str], transformed: bool) -> _Steps:
        key = harmless, transformed
        if key not in self._steps:
            renewed = self.evaluator.project.renewed
            steps = self._before._steps.get(key, {}) if self._before else {}
            self._steps[key] = {
                scope: step
                for scope, step in steps.items()
                if scope.module not in renewed and not step.concerns(renewed)
            }
        return self._steps[key]

    def is_free_of_mode(self, scopes: tuple[Scope, ...]) -> bool:
        """Whether calling any of these functions reaches nothing that depends on the mode."""
        return next(self.obstacles(scopes), None) is None

    def reached(self, scopes: tuple[Scope, ...]) -> frozenset[Scope]:
        """The functions of the project that these functions run, as far as that is seen."""
        walk = self._walk(frozenset(), transformed=False)
        for scope in scopes:
            walk.enter(scope)
        for _ in walk.obstacles():
            pass
        return frozenset(walk.seen)

    def obstacles(
        self,
        scopes: tuple[Scope, ...],
        harmless: frozenset[str] = frozenset(),
        *,
        transformed: bool = False,
    ) -> Iterator[Refusal]:
        """What the functions reach that depends on the mode, or is not seen, nearest first.

        Args:
            harmless: names of methods that count as seen, where the object is not known.
            transformed: a call of what was put under a transform elsewhere counts too.

        """
        walk = self._walk(harmless, transformed)
        for scope in scopes:
            walk.enter(scope)
        return walk.obstacles()

    def _walk(self, harmless: frozenset[str], transformed: bool) -> _Walk:
        return _Walk(self.evaluator, harmless, transformed, self._known(harmless, transformed))


class _Walk:
    def __init__(
        self,
        evaluator: Evaluator,
        harmless: frozenset[str],
        transformed: bool,
        steps: _Steps,
    ) -> None:
        self.steps = steps
        self.running: list[Scope] = []
        self.evaluator = evaluator
        self.project = evaluator.project
        self.harmless = harmless
        self.transformed = transformed
        self.seen: set[Scope] = set()
        self.entered: deque[Scope] = deque()

    def enter(self, scope: Scope) -> None:
        self.running.append(scope)
        if scope not in self.seen:
            self.seen.add(scope)
            self.entered.append(scope)

    def obstacles(self) -> Iterator[Refusal]:
        while self.entered:
            yield from self.step(self.entered.popleft())

    def step(self, scope: Scope) -> Iterator[Refusal]:
        """Enter what a function runs, and remember that once all of it is known."""
        known = self.steps.get(scope)
        if known is not None:
            for each in known.entered:
                self.enter(each)
            self.running.clear()
            yield from known.obstacles
            return
        self.running = []
        obstacles: list[Refusal] = []
        for obstacle in self.function(scope):
            obstacles.append(obstacle)
            yield obstacle
        self.steps[scope] = _Step(tuple(dict.fromkeys(self.running)), tuple(obstacles))

    def function(self, scope: Scope) -> Iterator[Refusal]:
        function = self.project.function(scope)
        for call in function.calls:
            yield from self.call(scope, call)
        for read in function.reads:
            yield from self.read(scope, read)
        for method in methods_implied(self.evaluator, scope):
            self.enter(method)
        for key in function.nested:
            self.enter(Scope(scope.module, key))
        outer = scope_around(scope, function)
        for decorator in function.decorators:
            target = decorator.func if isinstance(decorator, ir.Call) else decorator
            self.handed_on(self.evaluator.values(outer, target))

    def read(self, scope: Scope, read: ir.Attribute) -> Iterator[Refusal]:
        """A property runs when it is read."""
        if not self.evaluator.callers.mentions.is_property(read.name):
            return
        where = Place(scope.module, self.project.function(scope).line)
        for value in in_order(self.evaluator.values(scope, read.base)):
            if isinstance(value, Instance):
                yield from self.method(value.class_name, read.name, where)

    def handed_on(self, values: Values) -> None:
        """Functions that are given to something may be called by it."""
        for value in in_order(values):
            match value:
                case FunctionValue(scope=scope):
                    self.enter(scope)
                case _:
                    for part in parts_of(value):
                        self.handed_on(part)

    def call(self, scope: Scope, call: ir.Call) -> Iterator[Refusal]:
        where = Place(scope.module, call.line)
        values = self.evaluator.values(scope, call.func)
        named = isinstance(call.func, ir.Attribute) and call.func.name in self.harmless
        for value in in_order(values or unknown(Unknown.CALLED_NOT_FOUND)):
            if isinstance(call.func, ir.Attribute) and isinstance(value, Basic):
                if named:
                    continue
                if holder := self._without_attribute(scope, call.func, value):
                    yield Reached.ATTRIBUTE.about(where, name=call.func.name, holder=holder)
                    continue
            above = self._above(scope, call, value, where)
            yield from self.callee(value, call, where) if above is None else above
        for argument in (*call.args, *(value for _, value in call.keywords)):
            if isinstance(argument, _MAY_BE_FUNCTIONS):
                self.handed_on(self.evaluator.values(scope, argument))

    def _above(
        self, scope: Scope, call: ir.Call, value: Value, where: Place
    ) -> list[Refusal] | None:
        """What `super().__init__()` runs where the classes above are flax's or `object`, and have
        none in the project; None where it is something else, or not all of them are known.

        A class below may have others beside this one, whose constructors run next.
        """
        owner = self.project.function(scope).owner
        match call.func:
            case ir.Attribute(base=base, name="__init__") if owner and ir.is_super(base):
                pass
            case _:
                return None
        if value not in unknown(Unknown.SUPER_NOT_DEFINED, name="__init__"):
            return None
        hierarchy = self.evaluator.hierarchy
        class_name = f"{scope.module}:{owner}"
        own = (class_name, *hierarchy.descendants(class_name))
        if not all(hierarchy.ancestry(each).closed for each in own):
            return None
        classes = {above: None for each in own for above in hierarchy.ancestry(each).classes}
        found: list[Refusal] = []
        for above in classes:
            method = None if above in own else hierarchy.method(above, "__init__")
            if isinstance(method, Scope):
                self.enter(method)
            found += self._library_class(above, call, where)
        return found

    def _library_class(self, class_name: str, call: ir.Call, where: Place) -> Iterator[Refusal]:
        """A class of flax whose constructor depends on the mode, where the call does not say it."""
        if class_name in mode_dependent_functions() and not _says_mode(call):
            yield Reached.DEPENDS.about(where, function=nnx_name(class_name) or class_name)

    def _without_attribute(self, scope: Scope, func: ir.Attribute, value: Basic) -> str:
        """The class of the object that it is called on, where that does not show it; else ""."""
        for held in self.evaluator.values(scope, func.base):
            named = isinstance(held, Instance) and held.class_name
            if named and value in unknown_attribute(func.name, named):
                return short_name(named)
        return ""

    def callee(self, value: Value, call: ir.Call, where: Place) -> Iterator[Refusal]:
        match value:
            case FunctionValue(scope=scope, transforms=transforms):
                self.enter(scope)
                for name in transforms if self.transformed else ():
                    if f"flax.nnx.{name}" in mode_dependent_functions():
                        yield Reached.DEPENDS.about(where, function=name)
            case Instance(class_name=class_name):
                if class_name in _ANY_MODULE:
                    yield Reached.ANY_MODULE.about(where)
                yield from self.method(class_name, "__call__", where)
                held = held_by_layer(self.evaluator, value)
                self.handed_on(held)
                for inner in in_order(held):
                    yield from self.callee(inner, call, where)
            case ClassValue(class_name=class_name):
                yield from self.method(class_name, "__init__", where)
                for above in self.evaluator.hierarchy.ancestry(class_name).classes:
                    yield from self._library_class(above, call, where)
            case LibraryValue(dotted=dotted):
                yield from self.library(dotted, call, where)
            case Basic(sort="unknown", reason=reason):
                yield Reached.UNKNOWN.about(where, reason=reason)
            case ContainerValue() | TupleValue():
                yield Reached.CONTAINER.about(where)

    def method(self, class_name: str, name: str, where: Place) -> Iterator[Refusal]:
        hierarchy = self.evaluator.hierarchy
        for candidate in (class_name, *hierarchy.descendants(class_name)):
            method = hierarchy.method(candidate, name)
            if isinstance(method, Scope):
                self.enter(method)
            elif method is None and not hierarchy.ancestry(candidate).closed:
                yield Reached.OPEN_CLASS.about(where, name=name, holder=short_name(candidate))

    def library(self, dotted: str, call: ir.Call, where: Place) -> Iterator[Refusal]:
        name = nnx_name(dotted)
        if name is None or name.startswith("compat.") or name in _SETTERS:
            return
        if _says_mode(call):
            return
        if f"flax.nnx.{name}" in mode_dependent_functions():
            yield Reached.DEPENDS.about(where, function=name)


def _says_mode(call: ir.Call) -> bool:
    return any(keyword == "graph" for keyword, _ in call.keywords)
