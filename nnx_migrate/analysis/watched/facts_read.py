"""Which facts of a file answers rest on, so that an edit that changes none of them leaves these."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Hashable, Mapping
from typing import TypeVar, cast

from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.symbols.imports.reverse_imports import Dependents
from nnx_migrate.analysis.symbols.occurrence_index import NameTables
from nnx_migrate.analysis.symbols.program import Project

T = TypeVar("T")


@dataclasses.dataclass(frozen=True)
class Version:
    """One version of the file.

    Args:
        record: the file.
        tables: what it alone calls, stores to, passes on and defines.
        others: which of the other files lead to which.
    """

    record: ir.ModuleIndex
    tables: NameTables
    others: Dependents

    @functools.cached_property
    def dependents(self) -> Dependents:
        """Which files lead to which, with this version among them."""
        return Dependents((self.record,), self.others)

    @functools.cached_property
    def alone(self) -> Project:
        """The file as a project of its own."""
        return Project((self.record,), (self.tables,))

    @functools.cached_property
    def methods(self) -> Mapping[str, tuple[str, ...]]:
        """The keys of all functions that are defined in the body of each class."""
        found: dict[str, tuple[str, ...]] = {}
        for key, function in self.record.functions.items():
            if function.owner is not None:
                found[function.owner] = (*found.get(function.owner, ()), key)
        return found


#: Reads a fact from a version of the file.
Ask = Callable[[Version], object]
_GONE = object()


class FactsRead:
    """Notes what is read of a file, and compares it with another version.

    Args:
        version: that is read.
    """

    def __init__(self, version: Version) -> None:
        self.version = version
        self._read: dict[Hashable, tuple[Ask, object]] = {}

    def read(self, key: Hashable, ask: Callable[[Version], T]) -> T:
        """A fact, which is noted.

        Args:
            key: names the fact.
            ask: reads it.
        """
        known = self._read.get(key)
        if known is None:
            known = self._read[key] = ask, _asked(ask, self.version)
        if known[1] is _GONE:
            raise KeyError(key)
        return cast(T, known[1])

    def changed(self, other: Version) -> list[Hashable]:
        """The facts that were read, and are not the same in another version."""
        return [key for key, (ask, was) in self._read.items() if _asked(ask, other) != was]

    def __len__(self) -> int:
        return len(self._read)


def _asked(ask: Ask, version: Version) -> object:
    try:
        return ask(version)
    except KeyError:
        return _GONE
