"""What runs inside a function: mode-dependent nnx calls that it reaches, and what is not seen."""

from __future__ import annotations

import dataclasses

from nnx_migrate.facts import ir
from nnx_migrate.facts.evaluate import Evaluator
from nnx_migrate.facts.flax_layers import mode_dependent_functions
from nnx_migrate.facts.project import nnx_name
from nnx_migrate.facts.values import (
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
    unknown,
)

_MAY_BE_FUNCTIONS = (
    ir.Name | ir.Attribute | ir.FunctionRef | ir.Sequence | ir.Choice | ir.Starred | ir.Element
)

#: The setters, which are asked for here as decorators already there.
_SETTERS = frozenset({"set_graph_mode", "set_graph_updates"})


@dataclasses.dataclass(frozen=True, slots=True)
class Extent:
    """The dynamic extent of a function.

    Args:
        calls: "nnx.cond (path:line)" of each mode-dependent call that is reached.
        unseen: why more may be reached.
    """

    calls: tuple[str, ...] = ()
    unseen: tuple[str, ...] = ()

    @property
    def free_of_mode(self) -> bool:
        return not self.calls and not self.unseen


class ExtentFinder:
    """Walks the call graph from a function."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = evaluator
        self.project = evaluator.project

    def of(self, scopes: tuple[Scope, ...]) -> Extent:
        """The extent of calling any of these functions."""
        walk = _Walk(self.evaluator)
        for scope in scopes:
            walk.function(scope)
        return Extent(tuple(dict.fromkeys(walk.calls)), tuple(dict.fromkeys(walk.unseen)))


class _Walk:
    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = evaluator
        self.project = evaluator.project
        self.calls: list[str] = []
        self.unseen: list[str] = []
        self.seen: set[Scope] = set()

    def function(self, scope: Scope) -> None:
        if scope in self.seen:
            return
        self.seen.add(scope)
        function = self.project.function(scope)
        for key in function.nested:
            self.function(Scope(scope.module, key))
        for call in function.calls:
            self.call(scope, call)
        for read in function.reads:
            self.read(scope, read)
        outer = Scope(scope.module, function.parent or ir.MODULE_SCOPE)
        for decorator in function.decorators:
            target = decorator.func if isinstance(decorator, ir.Call) else decorator
            self.handed_on(self.evaluator.values(outer, target))

    def read(self, scope: Scope, read: ir.Attribute) -> None:
        """A property runs when it is read."""
        if not self.evaluator.callers.mentions.is_property(read.name):
            return
        for value in self.evaluator.values(scope, read.base):
            if isinstance(value, Instance):
                self.method(value.class_name, read.name, "")

    def handed_on(self, values: Values) -> None:
        """Functions that are given to something may be called by it."""
        for value in values:
            match value:
                case FunctionValue(scope=scope):
                    self.function(scope)
                case ContainerValue(element=element):
                    self.handed_on(element)
                case TupleValue(elements=elements):
                    for element in elements:
                        self.handed_on(element)

    def call(self, scope: Scope, call: ir.Call) -> None:
        where = f"{self.project.path_of(scope.module)}:{call.line}"
        values = self.evaluator.values(scope, call.func)
        for value in values or unknown("what is called was not found"):
            self.callee(value, call, where)
        for argument in (*call.args, *(value for _, value in call.keywords)):
            if isinstance(argument, _MAY_BE_FUNCTIONS):
                self.handed_on(self.evaluator.values(scope, argument))

    def callee(self, value: Value, call: ir.Call, where: str) -> None:
        match value:
            case FunctionValue(scope=scope):
                self.function(scope)
            case Instance(class_name=class_name):
                self.method(class_name, "__call__", where)
                if class_name == "flax.nnx.Module":
                    self.unseen.append(f"a Module of unknown class ({where})")
                self.handed_on(value.wraps)
                for inner in value.wraps:
                    self.callee(inner, call, where)
            case ClassValue(class_name=class_name):
                self.method(class_name, "__init__", where)
            case LibraryValue(dotted=dotted):
                self.library(dotted, call, where)
            case Basic(sort="unknown", reason=reason):
                self.unseen.append(f"{reason} ({where})")
            case ContainerValue() | TupleValue():
                self.unseen.append(f"what is called is not known ({where})")

    def method(self, class_name: str, name: str, where: str) -> None:
        hierarchy = self.evaluator.hierarchy
        for candidate in (class_name, *hierarchy.descendants(class_name)):
            method = hierarchy.method(candidate, name)
            if isinstance(method, Scope):
                self.function(method)
            elif method is None and not hierarchy.ancestry(candidate).closed:
                self.unseen.append(f"{name} of {candidate} ({where})")

    def library(self, dotted: str, call: ir.Call, where: str) -> None:
        name = nnx_name(dotted)
        if name is None or name.startswith("compat.") or name in _SETTERS:
            return
        if any(keyword == "graph" for keyword, _ in call.keywords):
            return
        if f"flax.nnx.{name}" in mode_dependent_functions():
            self.calls.append(f"nnx.{name} ({where})")
