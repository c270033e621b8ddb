"""The record of a file, of which each thing that is read is noted.

They stand in for the records of `ir.nodes`, which have nothing but fields: what is asked of them by
name gives what theirs give.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, cast

from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.watched.facts_read import FactsRead, Version

#: Finds a record, or a mapping of one, in a version of the file.
_Find = Callable[[Version], Any]
#: Fields of which each key is a fact of its own, and those that hold records.
_BY_KEY = frozenset({"annotations", "attributes", "bindings", "definitions", "lines", "methods"})
_RECORDS = frozenset({"functions", "classes"})


def watched(facts: FactsRead) -> ir.ModuleIndex:
    """The record of the file."""
    return cast(ir.ModuleIndex, _Record(facts, (), lambda version: version.record))


class _Record:
    """A record: each of its fields is a fact."""

    def __init__(self, facts: FactsRead, path: tuple[str, ...], find: _Find) -> None:
        self._facts = facts
        self._path = path
        self._find = find

    def __getattr__(self, name: str) -> Any:
        find = self._find

        def ask(version: Version) -> Any:
            return getattr(find(version), name)

        path = (*self._path, name)
        # A module has lines, too, which are no mapping.
        if name not in _RECORDS and (name not in _BY_KEY or not self._path):
            return self._facts.read(path, ask)
        # Found once: from then on Python looks no further than here.
        self.__dict__[name] = found = _Mapping(self._facts, path, ask, holds=name in _RECORDS)
        return found

    def says(self, names: frozenset[str]) -> bool:
        """Whether any of these identifiers is in the file, which says nothing of the others."""
        return self._facts.read(("says", names), lambda version: version.record.says(names))


class _Mapping(Mapping[str, Any]):
    """A mapping of a record: what stands under each key is a fact, and which keys there are."""

    def __init__(
        self, facts: FactsRead, path: tuple[str, ...], find: _Find, *, holds: bool
    ) -> None:
        self._facts = facts
        self._path = path
        self._find = find
        self._holds = holds
        self._records: dict[str, _Record] = {}

    def __getitem__(self, key: str) -> Any:
        find = self._find
        if not self._holds:
            return self._facts.read((*self._path, key), lambda version: find(version)[key])
        if key not in self._records:
            if key not in self:
                raise KeyError(key)
            self._records[key] = _Record(
                self._facts, (*self._path, key), lambda version: find(version)[key]
            )
        return self._records[key]

    def __contains__(self, key: object) -> bool:
        find = self._find
        return self._facts.read((*self._path, "", key), lambda version: key in find(version))

    def __iter__(self) -> Iterator[str]:
        find = self._find
        return iter(self._facts.read(self._path, lambda version: tuple(find(version))))

    def __len__(self) -> int:
        return sum(1 for _ in self)
