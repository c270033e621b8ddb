"""The name tables as one project sees them: only the files that are in it count."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

from nnx_migrate.analysis.domain.values import Scope
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.symbols.library_names import taker_name
from nnx_migrate.analysis.symbols.occurrence_index import NameTables, Table
from nnx_migrate.analysis.symbols.passed_on import PassedOn
from nnx_migrate.analysis.symbols.program import Project

Item = TypeVar("Item")


class Mentions:
    """What the files of a project call, store to, pass on and define, by last name."""

    def __init__(self, project: Project) -> None:
        self.project = project

    def _rows(
        self, table: Callable[[NameTables], Table[Item]], name: str
    ) -> Iterator[tuple[Scope, Item]]:
        for tables in self.project.tables:
            for record, scope, item in table(tables).get(name, ()):
                if self.project.holds(record):
                    yield scope, item

    def _rows_in(
        self, table: Callable[[NameTables], Table[Item]], name: str, modules: frozenset[str]
    ) -> Iterator[tuple[Scope, Item]]:
        return (row for row in self._rows(table, name) if row[0].module in modules)

    def calls_of(self, name: str) -> Iterator[tuple[Scope, ir.Call]]:
        """Every call in the project of something of that last name."""
        return self._rows(lambda tables: tables.calls, name)

    def open_calls_of(self, name: str) -> Iterator[tuple[Scope, ir.Call]]:
        """The same, without those of parameters: what these call is no name of another file."""
        return self._rows(lambda tables: tables.open_calls, name)

    def open_calls_in(self, name: str, modules: frozenset[str]) -> Iterator[tuple[Scope, ir.Call]]:
        """Those in some files."""
        return self._rows_in(lambda tables: tables.open_calls, name, modules)

    def calls_of_parameters(self, name: str, module: str | None) -> Iterator[tuple[Scope, ir.Call]]:
        """Every call of a parameter of that name.

        Args:
            module: the one that they are wanted of; None for all.
        """
        for tables in self.project.tables:
            for record, scope, call in tables.calls_of_parameters(name, module):
                if self.project.holds(record):
                    yield scope, call

    def is_called(self, name: str) -> bool:
        return any(
            next(rows, None) is not None
            for rows in (self.calls_of(name), self.implied_calls_of(name))
        )

    def implied_calls_of(self, name: str) -> Iterator[tuple[Scope, ir.Call]]:
        """Every call of something of that name, or of a lambda, that a library makes."""
        return self._taken(self._rows(lambda tables: tables.implied_calls, name))

    def implied_calls_in(
        self, name: str, modules: frozenset[str]
    ) -> Iterator[tuple[Scope, ir.Call]]:
        """Those in some files."""
        return self._taken(self._rows_in(lambda tables: tables.implied_calls, name, modules))

    def _taken(
        self, rows: Iterator[tuple[Scope, tuple[ir.Call, ir.Call, str]]]
    ) -> Iterator[tuple[Scope, ir.Call]]:
        for scope, (made, call, dotted) in rows:
            if taker_name(self.project, scope, call.func) == dotted:
                yield scope, made

    def calls_with_keyword(self, keyword: str) -> Iterator[tuple[Scope, ir.Call]]:
        """Every call in the project that passes something by that keyword."""
        return self._rows(lambda tables: tables.keywords, keyword)

    def outside_writes(self, name: str) -> Iterator[tuple[Scope, ir.Write]]:
        """Every store to an attribute of that name of something else than a method's own object."""
        return self._rows(lambda tables: tables.outside_writes, name)

    def outside_puts(self, name: str) -> Iterator[tuple[Scope, ir.Write]]:
        """The same of what calls put into an attribute that may hold a container."""
        return self._rows(lambda tables: tables.outside_puts, name)

    def puts_in_parameters(self) -> Iterator[tuple[Scope, ir.Write]]:
        """What functions put into what they are passed."""
        for name in sorted(
            {n for tables in self.project.tables for n in tables.puts_in_parameters}
        ):
            yield from self._rows(lambda tables: tables.puts_in_parameters, name)

    def set_elsewhere(self, name: str) -> Iterator[tuple[Scope, ir.Write]]:
        """Other stores to such attributes: of constants, and into what a name has from there."""
        return self._rows(lambda tables: tables.set_elsewhere, name)

    def outside_deletions(self, name: str) -> Iterator[tuple[Scope, ir.Write]]:
        """Every deletion of such an attribute."""
        return self._rows(lambda tables: tables.outside_deletions, name)

    def names_written_outside(self) -> set[str]:
        return {name for tables in self.project.tables for name in tables.outside_writes}

    def implied(self, first: str) -> Iterator[tuple[Scope, tuple[ir.Expr, ir.Expr]]]:
        """What syntax may run that method on, or another in its place, and what that is given."""
        for tables in self.project.tables:
            for record, scope, pair in tables.implied(first):
                if self.project.holds(record):
                    yield scope, pair

    def is_property(self, name: str) -> bool:
        """Whether some class of the project has a property of that name."""
        return next(self._rows(lambda tables: tables.properties, name), None) is not None

    def functions_named(self, name: str) -> Iterator[Scope]:
        return (scope for scope, _ in self._rows(lambda tables: tables.functions, name))

    def functions_called(self, name: str) -> Iterator[tuple[Scope, ir.Function]]:
        """The functions that a call of something of that name may run, constructors included."""
        yield from self._rows(lambda tables: tables.functions, name)
        for around, record in self._rows(lambda tables: tables.classes, name):
            if "__init__" in record.methods:
                scope = Scope(around.module, record.methods["__init__"])
                yield scope, self.project.function(scope)

    def classes_named(self, name: str) -> Iterator[tuple[Scope, ir.Class]]:
        """The classes of a name, each with the scope that it stands in."""
        return self._rows(lambda tables: tables.classes, name)

    def makes_fields(self, name: str) -> bool:
        """Whether a class of that name may take its attributes as arguments, as dataclasses do."""
        classes = self._rows(lambda tables: tables.classes, name)
        return any("__init__" not in record.methods for _, record in classes)

    def defines(self, name: str) -> bool:
        """Whether a function or a class of the project, or of others in the run, has that name."""
        return any(name in tables.defined for tables in self.project.tables)

    def passed_on(self, name: str, modules: frozenset[str] | None = None) -> Iterator[PassedOn]:
        """What becomes of the functions that something of that last name may be.

        Args:
            modules: the files that are asked, where these are not all.
        """
        if modules is None:
            rows = self._rows(lambda tables: tables.passed_on, name)
        else:
            rows = self._rows_in(lambda tables: tables.passed_on, name, modules)
        return (passed for _, passed in rows)

    def renamed(self, name: str) -> Iterator[tuple[Scope, tuple[str, str]]]:
        """Where something of that last name is imported under another: what, and that name."""
        return self._rows(lambda tables: tables.renamed, name)
