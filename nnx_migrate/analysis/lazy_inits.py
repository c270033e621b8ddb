"""What runs inside of `nnx.bridge.lazy_init`, where Linen modules make their Variables."""

from __future__ import annotations

import functools
from collections.abc import Iterator

from nnx_migrate.analysis.domain.unknown import Unknown, unknown
from nnx_migrate.analysis.domain.values import FunctionValue, Instance, LibraryValue, Scope, Value
from nnx_migrate.analysis.effects.reachability import ExtentFinder
from nnx_migrate.analysis.interp.interpreter import Evaluator
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.library.return_model import ANY_OBJECT, METHOD
from nnx_migrate.core.place import Place

_NAME = "lazy_init"
_HOLDER = "ToNNX"


class LazyInits:
    """The functions of a project that a lazy initialisation runs, as far as that is seen."""

    def __init__(self, evaluator: Evaluator, extents: ExtentFinder) -> None:
        self.evaluator = evaluator
        self.project = evaluator.project
        self.extents = extents

    def around(self, scope: Scope) -> Place | None:
        """Where an initialisation stands that runs a function; None when none does."""
        return self._reached.get(scope)

    @functools.cached_property
    def _reached(self) -> dict[Scope, Place]:
        found: dict[Scope, Place] = {}
        if not (self.project.has_word(_NAME) and self.project.has_word(_HOLDER)):
            return found
        for scope, call in self.evaluator.callers.mentions.calls_of(_NAME):
            where = Place(scope.module, call.line)
            entered = frozenset(self._run_by(scope, call))
            for reached in self.extents.reached(tuple(sorted(entered, key=str))):
                if self._in_one_program(scope.module, reached.module):
                    found[reached] = min(found.get(reached, where), where)
        return found

    def _in_one_program(self, module: str, other: str) -> bool:
        """False for two documents: no notebook or page runs what another one defines."""
        modules = self.project.modules
        return module == other or not (modules[module].stands and modules[other].stands)

    def _run_by(self, scope: Scope, call: ir.Call) -> Iterator[Scope]:
        """What `lazy_init(model, x)`, `lazy_init(model.encode, x)` and `model.lazy_init(x)` run."""
        by_name = str(self.project.nnx_name(scope, call.func)).rpartition(".")[2] == _NAME
        run = call.args[0] if by_name and call.args else getattr(call.func, "base", None)
        if run is None:
            return
        for value in self.evaluator.values(scope, run) or unknown(Unknown.NOT_FOUND):
            # Of nnx only a ToNNX has such a method. Linen modules have one, too, and `flax.core`
            # has a function of that name: what is not known is one of these.
            if by_name or isinstance(value, FunctionValue | Instance):
                yield from self._called(value)

    def _called(self, value: Value) -> Iterator[Scope]:
        hierarchy = self.evaluator.hierarchy
        match value:
            case FunctionValue(scope=scope):
                yield scope
                return
            case Instance(class_name=name) if name not in ANY_OBJECT:
                classes = hierarchy.classes_of(value)
            case LibraryValue(dotted=dotted) if dotted.startswith(METHOD):
                return  # `lazy_init(to_nnx.encode, x)` runs a method of the Linen module
            case _:
                kinds = ((name, hierarchy.kind(name)) for name in hierarchy.all_classes)
                classes = tuple(name for name, kind in kinds if kind == "module")
        for each in classes:
            method = hierarchy.method(each, "__call__")
            if isinstance(method, Scope):
                yield method
