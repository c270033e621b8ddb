"""The import graph of a project."""

from __future__ import annotations

from collections.abc import Iterator

from nnx_migrate.analysis.symbols.program import Project


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
        for target in self.project.modules[module].imports:
            while target:
                if target in self.project.modules:
                    yield target
                    break
                target = target.rpartition(".")[0]
