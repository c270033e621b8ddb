"""The Modules, random streams and the like that files hold at their top."""

from __future__ import annotations

from collections.abc import Iterator

from nnx_migrate.analysis.domain.values import Instance, Scope, Value
from nnx_migrate.analysis.heap.certain_values import CertainValues
from nnx_migrate.analysis.interp.interpreter import Evaluator
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.symbols.imports.import_graph import ImportFinder

#: What a traced function may read from outside, and not update.
OBJECTS = frozenset({"module", "metric", "rngs", "optimizer", "variable"})
_DEFINED = ir.FunctionRef | ir.ClassRef | ir.ImportRef | ir.Constant


class ModuleObjects:
    """Finds the names of files that stand for such an object."""

    def __init__(self, evaluator: Evaluator, imports: ImportFinder) -> None:
        self.evaluator = evaluator
        self.imports = imports
        self._certain = CertainValues(evaluator)
        self._seen: dict[str, tuple[tuple[str, str], ...]] = {}
        self._known: dict[str, frozenset[str]] = {}

    def of(self, module: str) -> frozenset[str]:
        """The names that a file itself binds to a call which gives an object."""
        if module not in self._known:
            self._known[module] = frozenset(self._found(module))
        return self._known[module]

    def seen_from(self, module: str) -> Iterator[tuple[str, str]]:
        """The objects of a file and of all that it imports, through others too: file and name."""
        if module in self._seen:
            yield from self._seen[module]
            return
        found: list[tuple[str, str]] = []
        for each in sorted(self.imports.of(module)):
            for name in sorted(self.of(each)):
                found.append((each, name))
                yield each, name
        self._seen[module] = tuple(found)

    def _found(self, module: str) -> Iterator[str]:
        scope = Scope(module, ir.MODULE_SCOPE)
        for name, bound in self.evaluator.project.function(scope).bindings.items():
            if all(isinstance(value, _DEFINED) for value in bound):
                continue
            if not all(map(self._is_object, self._certain.of_name(scope, name))):
                continue
            values = self.evaluator.values(scope, ir.Name(name))
            if values and all(map(self._is_object, values)):
                yield name

    def _is_object(self, value: Value) -> bool:
        return (
            isinstance(value, Instance)
            and not value.partial
            and self.evaluator.hierarchy.kind(value.class_name) in OBJECTS
        )
