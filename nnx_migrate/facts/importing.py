"""The import graph of a project."""

from __future__ import annotations

from collections.abc import Iterator

from nnx_migrate.facts import ir
from nnx_migrate.facts.project import Project


class ImportFinder:
    """Follows the imports between the files of a project."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self._known: dict[str, frozenset[str]] = {}

    def of(self, module: str) -> frozenset[str]:
        """The modules that a module imports, directly or through others, itself included."""
        if module not in self._known:
            found = {module}
            pending = [module]
            while pending:
                new = set(self._direct(pending.pop())) - found
                found |= new
                pending += new
            self._known[module] = frozenset(found)
        return self._known[module]

    def _direct(self, module: str) -> Iterator[str]:
        record = self.project.modules[module]
        targets = {
            value.target
            for function in record.functions.values()
            for values in function.bindings.values()
            for value in values
            if isinstance(value, ir.ImportRef)
        }
        for target in (*targets, *record.star_imports):
            while target:
                if target in self.project.modules:
                    yield target
                    break
                target = target.rpartition(".")[0]
