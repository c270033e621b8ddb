"""The import graph of a project."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from nnx_migrate.analysis.ir import nodes as ir
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

    def importers(self, module: str, words: Collection[str] = ()) -> Iterator[ir.ModuleIndex]:
        """The other modules that import a module, directly or through others.

        Args:
            words: of which they must have one in them; empty when it does not matter.
        """
        for other in self.project.modules.values():
            named = not words or any(word in other.words for word in words)
            if named and other.module != module and module in self.of(other.module):
                yield other

    def _direct(self, module: str) -> Iterator[str]:
        for target in self.project.modules[module].imports:
            while target:
                if target in self.project.modules:
                    yield target
                    break
                target = target.rpartition(".")[0]
