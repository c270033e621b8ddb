"""What a function of an installed package calls, with an object that a project hands to it.

The package is indexed like a project, as far as its imports lead, with a module beside it that
makes the call. Code that the project itself passes is looked at where the project defines it.
"""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Iterator
from pathlib import Path

from nnx_migrate.analysis.callgraph.dunder_dispatch import methods_implied
from nnx_migrate.analysis.domain.containers import any_leaf, parts_of
from nnx_migrate.analysis.domain.values import (
    NAMED_AT_RUN_TIME,
    Basic,
    ClassValue,
    FunctionValue,
    Instance,
    LibraryValue,
    Scope,
    Value,
    Values,
    is_unknown,
    scope_around,
)
from nnx_migrate.analysis.domain.witnesses import in_order
from nnx_migrate.analysis.facts import Analysis
from nnx_migrate.analysis.flax.model import mode_dependent_functions
from nnx_migrate.analysis.flax.names import layer_of, nnx_name
from nnx_migrate.analysis.flax.transforms import OBJECT_METHODS, SETTERS
from nnx_migrate.analysis.interp.interpreter import Evaluator
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.ir.build import index_module
from nnx_migrate.analysis.library.effect_model import harmless_library_call
from nnx_migrate.analysis.sites.other_packages import other_package
from nnx_migrate.analysis.symbols.program import Project
from nnx_migrate.sources.imports.installed import Environment, Environments
from nnx_migrate.sources.text import decode

#: The module that makes the call; no package can have the name.
_CALLING = "<calling>"
#: Methods that run when an object is made, and when it is called.
_MAKING = frozenset({"__init__", "__new__", "__post_init__", "__init_subclass__"})
_CALLED = frozenset({"__call__"})
_MOST_FILES = 400
_MOST_FUNCTIONS = 2_000


@dataclasses.dataclass(frozen=True, slots=True)
class ForeignCall:
    """A call of a package that is not part of the project.

    Args:
        dotted: the dotted name that is called, or that makes what is.
        method: what of that is called, `().count`; empty where that itself is.
        given: what is passed, where `model` stands for the object and `other` for all else.
    """

    dotted: str
    method: str
    given: str


@dataclasses.dataclass(frozen=True, slots=True)
class Reached:
    """What such a call reaches.

    Args:
        what: the function of nnx that it calls, or what is not seen.
        where: "pkg/core.py:12", below the folder of installed packages.
        dependent: it depends on the mode, else it is not seen.
    """

    what: str
    where: str
    dependent: bool


class InstalledPackages:
    """The packages around a project, each indexed once while the project is looked at."""

    def __init__(self) -> None:
        self._environments = Environments()
        self._indexes: dict[tuple[Environment, str], tuple[ir.ModuleIndex, ...]] = {}
        self._reached: dict[tuple[Environment, ForeignCall], Reached | None] = {}

    @classmethod
    def around(cls, analysis: Analysis) -> InstalledPackages:
        """Those of a project, as it is and after edits."""
        found: InstalledPackages = analysis.outside.setdefault(cls, cls())
        return found

    def reached(self, python: str, call: ForeignCall) -> Reached | None:
        """What depends on the mode in a call, or else what is not seen; None when all is free.

        Args:
            python: an interpreter, or the folder of an environment; empty for the active one.
            call: the call.
        """
        environment = self._environments.of(python)
        key = environment, call
        if key not in self._reached:
            self._reached[key] = _reached(self._calling(environment, call), call)
        return self._reached[key]

    def _calling(self, environment: Environment, call: ForeignCall) -> Project | None:
        """The installed code that a call leads to, with a module that makes it."""
        parts = call.dotted.split(".")
        lengths = range(len(parts) - 1, 0, -1)
        heads = (".".join(parts[:length]) for length in lengths)
        module = next((head for head in heads if environment.path_of(head)), None)
        if module is None:
            return None
        first, *rest = call.dotted.removeprefix(f"{module}.").split(".")
        func = ".".join(["called", *rest]) + call.method
        text = (
            f"from flax import nnx\nfrom {module} import {first} as called\n"
            f"def handed(model: nnx.Module, other):\n    return {func}({call.given})\n"
        )
        calling = index_module(decode(Path(_CALLING), text.encode()), _CALLING)
        if (environment, module) not in self._indexes:
            self._indexes[environment, module] = _indexes(environment, module)
        return Project([calling, *self._indexes[environment, module]])


def _reached(built: Project | None, call: ForeignCall) -> Reached | None:
    if built is None:
        package = call.dotted.partition(".")[0]
        return Reached(
            f"{package} is not installed in the environment that was searched", "", False
        )
    found = list(_Walk(Evaluator(built)).found())
    return min(found, key=lambda each: not each.dependent, default=None)


def _indexes(environment: Environment, module: str) -> tuple[ir.ModuleIndex, ...]:
    """A module, the packages around it, and what they import from each other and from others."""
    found: dict[str, ir.ModuleIndex] = {}
    waiting = collections.deque(_with_packages(module))
    asked = set(waiting)
    nothing = Project([])
    while waiting and len(found) < _MOST_FILES:
        name = waiting.popleft()
        source = environment.read(name)
        if source is None:
            continue
        try:
            found[name] = index_module(source, name)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        for target in found[name].imports:
            # `from pkg import name` may name a module, or something in one.
            for each in _with_packages(target):
                if each not in asked and other_package(nothing, each):
                    asked.add(each)
                    waiting.append(each)
    return tuple(found.values())


def _with_packages(module: str) -> Iterator[str]:
    parts = module.split(".")
    yield from (".".join(parts[:length]) for length in range(1, len(parts) + 1))


class _Walk:
    """Follows the calls from the module that makes the first one."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = evaluator
        self.project = evaluator.project
        self.hierarchy = evaluator.hierarchy
        self.seen: set[Scope] = set()
        self.waiting: collections.deque[Scope] = collections.deque()

    def found(self) -> Iterator[Reached]:
        """What is reached, the nearest first."""
        index = self.project.modules[_CALLING]
        (key,) = (key for key, each in index.functions.items() if each.name == "handed")
        self.enter(Scope(_CALLING, key))
        while self.waiting:
            scope = self.waiting.popleft()
            yield from self.function(scope)
            if len(self.seen) > _MOST_FUNCTIONS:
                yield self.reached(scope, 0, "more functions than nnx-migrate follows", False)
                return

    def enter(self, scope: Scope) -> None:
        if scope not in self.seen and scope.module in self.project.modules:
            self.seen.add(scope)
            self.waiting.append(scope)

    def reached(self, scope: Scope, line: int, what: str, dependent: bool) -> Reached:
        where = f"{self.project.path_of(scope.module)}:{line}"
        return Reached(what, "" if scope.module == _CALLING else where, dependent)

    def function(self, scope: Scope) -> Iterator[Reached]:
        function = self.project.function(scope)
        for call in function.calls:
            yield from self.call(scope, call)
        for read in function.reads:
            if self.evaluator.callers.mentions.is_property(read.name):
                self.by_name(read.name)
        for method in methods_implied(self.evaluator, scope):
            self.enter(method)
        for key in function.nested:
            self.enter(Scope(scope.module, key))
        outer = scope_around(scope, function)
        for decorator in function.decorators:
            self.handed_on(self.evaluator.values(outer, decorator))

    def call(self, scope: Scope, call: ir.Call) -> Iterator[Reached]:
        given = (*call.args, *(value for _, value in call.keywords))
        values = [self.evaluator.values(scope, each) for each in given]
        may_be = any(self.may_be_object(each) for each in values)
        if isinstance(call.func, ir.Attribute) and call.func.name in OBJECT_METHODS:
            base = self.evaluator.values(scope, call.func.base)
            if self.may_be_object(base) and self.project.dotted(scope, call.func) is None:
                yield self.reached(scope, call.line, f".{call.func.name}()", True)
        for value in in_order(self.evaluator.values(scope, call.func)):
            yield from self.callee(scope, call, value, may_be)
        for each in values:
            self.handed_on(each)

    def callee(self, scope: Scope, call: ir.Call, value: Value, may_be: bool) -> Iterator[Reached]:
        match value:
            case FunctionValue(scope=called, transforms=transforms):
                if set(transforms).isdisjoint(SETTERS):
                    self.enter(called)
                    named = (self.dependent(f"flax.nnx.{each}", call) for each in transforms)
                    for name in filter(None, named) if may_be else ():
                        yield self.reached(scope, call.line, name, True)
            case ClassValue(class_name=class_name):
                if may_be and (name := self.dependent(class_name, call)):
                    yield self.reached(scope, call.line, name, True)
                self.methods(class_name, None if may_be else _MAKING)
            case Instance(class_name=class_name):
                self.methods(class_name, _CALLED)
            case LibraryValue(dotted=dotted) if may_be:
                if name := self.dependent(dotted, call):
                    yield self.reached(scope, call.line, name, True)
                elif self.is_unseen(dotted):
                    yield self.reached(scope, call.line, dotted, False)
            case Basic(sort="unknown", hidden="run time") if may_be:
                yield self.reached(scope, call.line, value.reason, False)
            case Basic(sort="unknown") if isinstance(call.func, ir.Attribute):
                self.by_name(call.func.name)

    def dependent(self, dotted: str, call: ir.Call) -> str:
        """The name of a function of nnx that depends on the mode; of others "" ."""
        name = nnx_name(dotted)
        says_mode = any(keyword == "graph" for keyword, _ in call.keywords)
        if name is None or name.startswith("compat.") or name in SETTERS or says_mode:
            return ""
        return f"nnx.{name}" if f"flax.nnx.{name}" in mode_dependent_functions() else ""

    def is_unseen(self, dotted: str) -> bool:
        """Whether a function of another package, or of a part without source, is not looked at."""
        head = dotted.partition(".")[0]
        if dotted.endswith(NAMED_AT_RUN_TIME):
            return True
        if nnx_name(dotted) is not None or harmless_library_call(dotted) is not None:
            return False
        return head in self.project.packages or bool(other_package(self.project, dotted))

    def may_be_object(self, values: Values) -> bool:
        """Whether it may be the object that is handed over, or hold it."""
        return is_unknown(values) or any_leaf(values, self._may_be)

    def _may_be(self, value: Value) -> bool:
        if not isinstance(value, Instance):
            return isinstance(value, Basic) and value.sort == "unknown"
        if value.exact and layer_of(value.class_name) is not None:
            return self.may_be_object(value.wraps) if value.wraps else False
        kind = self.hierarchy.kind(value.class_name)
        return kind not in {"plain", "state"} or self.hierarchy.is_tree(value.class_name)

    def methods(self, class_name: str, named: frozenset[str] | None) -> None:
        """Enter methods of a class.

        Args:
            named: which; None for all that an object may run later on, as it keeps what it is
                given.
        """
        located = self.project.class_of(class_name)
        for above in self.hierarchy.ancestry(class_name).classes if located is not None else ():
            held = self.project.class_of(above)
            if held is None:
                continue
            for name, key in held[1].methods.items():
                if named is None or name in named:
                    self.enter(Scope(held[0], key))

    def by_name(self, name: str) -> None:
        """All methods of a name, where the object is not known."""
        for scope in self.evaluator.callers.mentions.functions_named(name):
            if self.project.function(scope).owner is not None:
                self.enter(scope)

    def handed_on(self, values: Values) -> None:
        """Functions that are given to something may be called by it."""
        for value in in_order(values):
            if isinstance(value, FunctionValue):
                self.enter(value.scope)
            for part in parts_of(value):
                self.handed_on(part)
