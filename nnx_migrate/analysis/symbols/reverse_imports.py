"""Which files a change of one file may concern: those in which a name may come from it."""

from __future__ import annotations

import collections
from collections.abc import Iterable, Iterator

from nnx_migrate.analysis.ir import nodes as ir


class Dependents:
    """The import graph the other way round, by what the names of files may reach.

    Args:
        indexes: the files.
        before: the graph that these files are added to.
    """

    def __init__(self, indexes: Iterable[ir.ModuleIndex], before: Dependents | None = None) -> None:
        self._before = before
        self._reaching: dict[str, set[str]] = collections.defaultdict(set)
        self._naming: dict[str, set[str]] = collections.defaultdict(set)
        for index in indexes:
            for target in _targets(index):
                # `import a` reaches all of `a.b.c`, and `from a.b import c` may be all of `a.b`.
                self._naming[target].add(index.module)
                for part in _prefixes(target):
                    self._reaching[part].add(index.module)

    def of(self, module: str) -> frozenset[str]:
        """The file itself, and all in which a name may lead to it, through others too."""
        found = {module}
        waiting = [module]
        while waiting:
            near = self._near(waiting.pop()) - found
            waiting += near
            found |= near
        return frozenset(found)

    def _near(self, module: str) -> set[str]:
        found = set() if self._before is None else self._before._near(module)
        return found.union(
            self._reaching.get(module, ()),
            *(self._naming.get(part, ()) for part in _prefixes(module)),
        )


def _targets(index: ir.ModuleIndex) -> set[str]:
    found = set(index.imports)
    for function in index.functions.values():
        for values in function.bindings.values():
            found.update(value.target for value in values if isinstance(value, ir.ImportRef))
    return found


def _prefixes(dotted: str) -> Iterator[str]:
    """`a.b.c`, `a.b` and `a`."""
    while dotted:
        yield dotted
        dotted = dotted.rpartition(".")[0]
