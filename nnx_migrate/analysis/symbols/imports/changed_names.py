"""The names of which an edit can have changed what functions become that are passed on by them.

What a function may be called by is found by following thousands of names. An edit of a file that
offers what it offered before, under the same keys, leaves all of these as they were but for those
of which a changed function says something. Where these few become what they became before, the rest
need not be looked at.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterator

from nnx_migrate.analysis.domain.values import Scope
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.symbols.occurrence_index import NameTables
from nnx_migrate.analysis.symbols.program import Project


class ChangedNames:
    """The names and the functions of which an edit may have changed what becomes of them.

    Args:
        before: the tables of the edited file alone, as it was.
        after: those as it is.
        later: the file as it is, with the keys of its functions as they were.
    """

    def __init__(self, before: NameTables, after: NameTables, later: ir.ModuleIndex) -> None:
        ((old,), (new,)) = before.records, after.records
        moved = dict(zip(later.functions, new.functions, strict=True))
        back = {key: was for was, key in moved.items() if key != was}
        #: Where functions stand now, and where they stood, as far as that is not the same.
        self.moved = {Scope(old.module, was): Scope(old.module, key) for key, was in back.items()}
        self.back = {now: was for was, now in self.moved.items()}
        changed = {key for key, each in later.functions.items() if each != old.functions[key]}
        # Names in a function mean what those around it say, and what stands in it is a part of it.
        inside = {key for key in later.functions if not changed.isdisjoint(_around(later, key))}
        around = {outer for key in changed for outer in _around(later, key)}
        self._module = new.module
        self._functions = inside | around
        self._names = {*(before.known ^ after.known)}
        self._names.update(_said_in(before, inside))
        self._names.update(_said_in(after, {moved[key] for key in inside}))

    def may_concern(self, name: str, within: Scope | None) -> bool:
        """Whether what had a name may become something else, or be called where it was not.

        Args:
            within: the function whose variable it was; None where that is not known.
        """
        if within is not None and within.module == self._module:
            return within.function in self._functions or name in self._names
        return name in self._names


def changed_names(
    project: Project, before: Project, later: ir.ModuleIndex | None = None
) -> ChangedNames | None:
    """Those of an edit; None where it may have changed what becomes of any name.

    Args:
        project: after the edit of one file, which offers what it offered before.
        before: the project that it was.
        later: the file as it is, with the lines that its parts had; None where these are the same.
    """
    after = project.tables[0]
    if len(after.records) != 1 or project.wrappers is not None:
        return None
    (new,) = after.records
    later = later or new
    old = before.modules.get(new.module)
    alone = [each for each in before.tables if len(each.records) == 1 and each.records[0] is old]
    if old is None or not alone or before.cells(old.module) or project.cells(new.module):
        return None
    if list(old.functions) != list(later.functions) or list(old.classes) != list(later.classes):
        return None
    if _named(later) != _named(new):
        return None
    words = [tables.words for tables in project.tables if tables is not after]
    for key, defined in later.classes.items():
        names = _constants_changed(old.classes[key], defined)
        if names is None or any(name in each for name in names for each in (*words, after.defined)):
            return None
    return ChangedNames(alone[0], after, later)


def _constants_changed(before: ir.Class, after: ir.Class) -> frozenset[str] | None:
    """The names that a class binds to constants now, or did, alone; None where more is another."""
    if before == after:
        return frozenset()
    if dataclasses.replace(before, attributes=after.attributes) != after:
        return None
    names = before.attributes.keys() | after.attributes.keys()
    differ = {name for name in names if before.attributes.get(name) != after.attributes.get(name)}
    for name in differ:
        values = (*before.attributes.get(name, ()), *after.attributes.get(name, ()))
        if not all(isinstance(value, ir.Constant) for value in values):
            return None
    known = {*after.methods, *after.annotations}
    protocol = any(ir.last_name(base) == "Protocol" for base in after.bases)
    alone = before.attributes.keys() ^ after.attributes.keys()
    if protocol or any(name in known or name.startswith("__") for name in alone):
        return None
    return frozenset(alone)


def _named(record: ir.ModuleIndex) -> list[str]:
    return [function.name for function in record.functions.values()]


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
