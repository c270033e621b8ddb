"""The names of which an edit can have changed what functions become that are passed on by them.

What a function may be called by is found by following thousands of names. An edit of a file that
offers what it offered before, under the same keys, leaves all of these as they were but for those
of which a changed function says something. Where these few become what they became before, the rest
need not be looked at.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from nnx_migrate.analysis.domain.values import Scope
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.symbols.occurrence_index import NameTables
from nnx_migrate.analysis.symbols.program import Project


class ChangedNames:
    """The names and the functions of which an edit may have changed what becomes of them.

    Args:
        before: the tables of the edited file alone, as it was.
        after: those as it is, with the same keys of functions.
    """

    def __init__(self, before: NameTables, after: NameTables) -> None:
        ((old,), (new,)) = before.records, after.records
        changed = {key for key, function in new.functions.items() if function != old.functions[key]}
        # Names in a function mean what those around it say, and what stands in it is a part of it.
        inside = {key for key in new.functions if not changed.isdisjoint(_around(new, key))}
        around = {outer for key in changed for outer in _around(new, key)}
        self._module = new.module
        self._functions = inside | around
        self._names = {*(before.known ^ after.known)}
        for tables in (before, after):
            self._names.update(_said_in(tables, inside))

    def may_concern(self, name: str, within: Scope | None) -> bool:
        """Whether what has a name may become something else, or be called where it was not.

        Args:
            within: the function whose variable it is; None where that is not known.
        """
        if within is not None and within.module == self._module:
            return within.function in self._functions or name in self._names
        return name in self._names


def changed_names(project: Project, before: Project) -> ChangedNames | None:
    """Those of an edit; None where it may have changed what becomes of any name.

    Args:
        project: after the edit of one file, which offers what it offered before.
        before: the project that it was.
    """
    after = project.tables[0]
    if len(after.records) != 1 or project.wrappers is not None:
        return None
    (new,) = after.records
    old = before.modules.get(new.module)
    alone = [each for each in before.tables if len(each.records) == 1 and each.records[0] is old]
    if old is None or not alone or before.cells(old.module) or project.cells(new.module):
        return None
    if list(old.functions) != list(new.functions) or old.classes != new.classes:
        return None
    return ChangedNames(alone[0], after)


def _around(record: ir.ModuleIndex, key: str) -> Iterator[str]:
    """A function, and those that it is in."""
    outer: str | None = key
    while outer is not None:
        yield outer
        outer = record.functions[outer].parent


def _said_in(tables: NameTables, functions: Collection[str]) -> Iterator[str]:
    """The names of which functions of a file say something: what they call and pass on."""
    for table in (tables.calls, tables.implied_calls, tables.passed_on, tables.renamed):
        for name, rows in table.items():
            if any(scope.function in functions for _, scope, _ in rows):
                yield name
