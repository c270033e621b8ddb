"""The name tables of a file, of which each name that is looked up is noted."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from typing import Any, cast

from nnx_migrate.analysis.domain.values import Scope
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.symbols.occurrence_index import Item, NameTables, Row, Table
from nnx_migrate.analysis.symbols.passed_on import PassedOn
from nnx_migrate.analysis.watched.facts_read import FactsRead

#: Gives one of the tables.
_Choose = Callable[[NameTables], Any]


class WatchedTables(NameTables):
    """The tables of a file alone, of which each name that is looked up is noted.

    Args:
        facts: notes it.
        watched: the record of the file, of which each thing that is read is noted too.
    """

    def __init__(self, facts: FactsRead, watched: ir.ModuleIndex) -> None:
        plain = facts.version.tables
        super().__init__((watched,), plain.defined, plain.wrappers)
        self._plain = plain
        self._facts = facts
        self._watched = watched

    def records_where(
        self, word: str, holds: Callable[[ir.ModuleIndex, str], bool]
    ) -> tuple[ir.ModuleIndex, ...]:
        found = self._facts.read(
            ("records where", word, holds),
            lambda version: bool(version.tables.records_where(word, holds)),
        )
        return (self._watched,) if found else ()

    def implied(self, first: str) -> Sequence[Row[tuple[ir.Expr, ir.Expr]]]:
        rows = self._facts.read(
            ("implied", first), lambda version: _without_record(version.tables.implied(first))
        )
        return [(self._watched, scope, operands) for scope, operands in rows]

    @functools.cached_property
    def words(self) -> frozenset[str]:
        return cast("frozenset[str]", self._names("words", lambda tables: tables.words))

    @functools.cached_property
    def defined(self) -> frozenset[str]:
        return cast("frozenset[str]", self._names("defined", lambda tables: tables.defined))

    @functools.cached_property
    def known(self) -> frozenset[str]:
        return cast("frozenset[str]", self._names("known", lambda tables: tables.known))

    @functools.cached_property
    def special(self) -> frozenset[str]:
        self._facts.read("special", lambda version: version.tables.special)
        return self._plain.special

    @functools.cached_property
    def keepers(self) -> dict[str, str]:
        self._facts.read("keepers", lambda version: version.tables.keepers)
        return self._plain.keepers

    @functools.cached_property
    def calls(self) -> Table[ir.Call]:
        return self._table("calls", lambda tables: tables.calls)

    @functools.cached_property
    def open_calls(self) -> Table[ir.Call]:
        return self._table("open calls", lambda tables: tables.open_calls)

    def calls_of_parameters(self, name: str, module: str | None = None) -> Sequence[Row[ir.Call]]:
        if module not in {None, self._plain.records[0].module}:
            return ()
        rows = self._facts.read(
            ("calls of parameters", name),
            lambda version: _without_record(version.tables.calls_of_parameters(name)),
        )
        return [(self._watched, scope, call) for scope, call in rows]

    @functools.cached_property
    def implied_calls(self) -> Table[tuple[ir.Call, ir.Call, str]]:
        return self._table("implied calls", lambda tables: tables.implied_calls)

    @functools.cached_property
    def keywords(self) -> Table[ir.Call]:
        return self._table("keywords", lambda tables: tables.keywords)

    @functools.cached_property
    def outside_writes(self) -> Table[ir.Write]:
        return self._table("outside writes", lambda tables: tables.outside_writes)

    @functools.cached_property
    def set_elsewhere(self) -> Table[ir.Write]:
        return self._table("set elsewhere", lambda tables: tables.set_elsewhere)

    @functools.cached_property
    def outside_deletions(self) -> Table[ir.Write]:
        return self._table("outside deletions", lambda tables: tables.outside_deletions)

    @functools.cached_property
    def functions(self) -> Table[ir.Function]:
        return self._table("functions", lambda tables: tables.functions, _key)

    @functools.cached_property
    def properties(self) -> Table[ir.Function]:
        return self._table("properties", lambda tables: tables.properties, _key)

    @functools.cached_property
    def classes(self) -> Table[ir.Class]:
        return self._table("classes", lambda tables: tables.classes, _key)

    @functools.cached_property
    def renamed(self) -> Table[tuple[str, str]]:
        return self._table("renamed", lambda tables: tables.renamed)

    @functools.cached_property
    def other_names(self) -> Table[ir.Expr]:
        return self._table("other names", lambda tables: tables.other_names)

    @functools.cached_property
    def passed_on(self) -> Table[PassedOn]:
        return self._table("passed on", lambda tables: tables.passed_on)

    def _table(
        self,
        name: str,
        choose: Callable[[NameTables], Table[Item]],
        told: Callable[[Item], object] = lambda item: item,
    ) -> Table[Item]:
        # A method of this object would make a circle of it and its tables.
        row = functools.partial(_in_record, self._watched)
        table = _Table(self._facts, name, choose, choose(self._plain), row, told)
        return cast("Table[Item]", table)

    def _names(self, name: str, choose: _Choose) -> object:
        return _Names(self._facts, name, choose, choose(self._plain))


def _key(item: ir.Function | ir.Class) -> str:
    return item.key


def _in_record(watched: ir.ModuleIndex, row: Row[Any]) -> Row[Any]:
    """A row of a file's plain record as one of the record of which is noted what is read."""
    _, scope, item = row
    if isinstance(item, ir.Function):
        item = watched.functions[item.key]
    elif isinstance(item, ir.Class):
        item = watched.classes[item.key]
    return watched, scope, item


def _without_record(
    rows: Sequence[Row[Any]], told: Callable[[Any], Any] = lambda item: item
) -> list[tuple[Scope, Any]]:
    return [(scope, told(item)) for _, scope, item in rows]


class _Names(Set[str]):
    """Names, of which each that is looked for is a fact."""

    def __init__(self, facts: FactsRead, name: str, choose: _Choose, plain: Set[str]) -> None:
        self._facts = facts
        self._name = name
        self._choose = choose
        self._plain = plain

    def __contains__(self, word: object) -> bool:
        choose = self._choose
        self._facts.read((self._name, word), lambda version: word in choose(version.tables))
        return word in self._plain

    def __iter__(self) -> Iterator[str]:
        choose = self._choose
        self._facts.read(self._name, lambda version: choose(version.tables))
        return iter(self._plain)

    def __len__(self) -> int:
        return sum(1 for _ in self)


class _Table(Mapping[str, Any]):
    """A table, of which each name that is looked up is a fact."""

    def __init__(
        self,
        facts: FactsRead,
        name: str,
        choose: _Choose,
        plain: Table[Any],
        row: Callable[[Row[Any]], Row[Any]],
        told: Callable[[Any], object],
    ) -> None:
        self._facts = facts
        self._name = name
        self._choose = choose
        self._plain = plain
        self._row = row
        self._told = told
        self._rows: dict[str, list[Row[Any]]] = {}

    def __getitem__(self, word: str) -> list[Row[Any]]:
        if word not in self._rows:
            choose, told = self._choose, self._told
            self._facts.read(
                (self._name, word),
                lambda version: _without_record(choose(version.tables).get(word, ()), told),
            )
            self._rows[word] = [self._row(row) for row in self._plain[word]]
        return self._rows[word]

    def __iter__(self) -> Iterator[str]:
        choose = self._choose
        self._facts.read(self._name, lambda version: choose(version.tables).keys())
        return iter(self._plain)

    def __len__(self) -> int:
        return sum(1 for _ in self)
