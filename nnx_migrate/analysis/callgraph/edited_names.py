"""What an edit of a file may change of what functions anywhere become, and what it does not."""

from __future__ import annotations

import weakref
from collections.abc import Collection, Iterable, Mapping, Set
from typing import Protocol

from nnx_migrate.analysis.callgraph.called_functions import Handle
from nnx_migrate.analysis.domain.values import Scope
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.symbols.imports.changed_names import ChangedNames
from nnx_migrate.analysis.symbols.imports.interface import interface
from nnx_migrate.analysis.symbols.program import Project

#: A function or class as a call may run it: its name, its parameters, whether it is a method.
_Signature = tuple[str, tuple[str, ...], bool]


class EditedNames:
    """Tells whether something may become something else than before the edit.

    Args:
        project: after the edit.
        before: the project that it was.

    Attributes:
        offers_the_same: whether the edited files offer to others what they offered before.
        anew: the files in which names may mean something else: none but the edited ones then.
    """

    def __init__(self, project: Project, before: Project) -> None:
        self._project = project
        self._before = before
        edited = project.tables[0].records
        self.offers_the_same = all(offers_the_same(each, before) for each in edited)
        own = frozenset(record.module for record in edited)
        self.anew = own if self.offers_the_same else project.renewed
        self._passed_on: dict[str, bool] = {}
        self._called: dict[tuple[str, str | None, bool], bool] = {}
        self._redefined: dict[str, bool] = {}

    def are_told(self, handles: Iterable[Handle], taking: Iterable[str]) -> bool:
        """Whether what a file passes on may become something else there.

        Args:
            handles: what it becomes: a variable of such code may be another one now.
            taking: the names of what it is passed to.
        """
        anew = self.anew
        among = any(each.within is not None and each.within.module in anew for each in handles)
        return among or any(map(self.is_redefined, taking))

    def are_called(self, handle: Handle) -> bool:
        """Whether such code calls that, or has a library call it; now or before."""
        name, module = handle.name, None if handle.within is None else handle.within.module
        # What is called by a parameter of a file says nothing to others.
        of_parameters = handle.kind in {"variable", "any"}
        key = name, module if of_parameters else "", of_parameters
        if key not in self._called:
            self._called[key] = any(
                record.module in self.anew
                for tables in self._project.tables
                for rows in (
                    tables.open_calls.get(name, ()),
                    tables.implied_calls.get(name, ()),
                    tables.calls_of_parameters(name, module) if of_parameters else (),
                )
                for record, _, _ in rows
            )
        return self._called[key]

    def is_passed_on(self, name: str) -> bool:
        """Whether such code passes that on, or imports it under another name; now or before."""
        if name not in self._passed_on:
            self._passed_on[name] = any(
                record.module in self.anew
                for tables in self._project.tables
                for table in (tables.passed_on, tables.renamed)
                for record, _, _ in table.get(name, ())
            )
        return self._passed_on[name]

    def is_redefined(self, name: str) -> bool:
        """Whether functions or classes of that name are there no more, are new, or take others."""
        if name not in self._redefined:
            edited = {record.module: record for record in self._project.tables[0].records}
            old = [each for each in map(self._before.modules.get, edited) if each is not None]
            self._redefined[name] = _signatures(self._before, name, old) != _signatures(
                self._project, name, edited.values()
            )
        return self._redefined[name]


class Follower(Protocol):
    """Follows functions through the names that they are given."""

    @property
    def followed(self) -> Set[Handle]:
        """All that was followed in order to tell what something may be called by."""

    def called_by(self, own: tuple[Handle, ...]) -> tuple[Handle, ...]:
        """What something may be called by that is defined as these, as far as anything is."""

    def aliases(self, handle: Handle) -> frozenset[Handle]:
        """What something is bound, returned or passed as where it has this handle."""

    def is_called(self, handle: Handle) -> bool:
        """Whether anything is called so."""


class Kept:
    """What functions could be called by before an edit, as long as all is found to be as it was.

    Args:
        before: followed them before the edit.
        after: follows them after it.
        changed: what the edit may have changed.
    """

    def __init__(self, before: Follower, after: Follower, changed: ChangedNames) -> None:
        self._before = before
        self._after = weakref.proxy(after)
        self._changed = changed
        self._compared: set[Handle] = set()
        self._followed: set[Handle] = set()
        self._holds = True

    @property
    def followed(self) -> Set[Handle] | None:
        """What was followed before; None where that is not what counts any more."""
        if not self._holds:
            return None
        followed, moved = self._before.followed, self._changed.moved
        if not moved:
            return followed
        if len(self._followed) != len(followed):
            self._followed = {_moved(each, moved) for each in followed}
        return self._followed

    def called_by(self, own: tuple[Handle, ...]) -> tuple[Handle, ...] | None:
        """What something could be called by before; None where that may be something else now."""
        if not self._holds:
            return None
        moved, back = self._changed.moved, self._changed.back
        found = self._before.called_by(tuple(_moved(each, back) for each in own))
        followed = self._before.followed
        new = followed - self._compared if len(followed) != len(self._compared) else ()
        for handle in new:
            self._compared.add(handle)
            if not self._is_as_before(handle):
                self._holds = False
                return None
        return tuple(sorted((_moved(each, moved) for each in found), key=str)) if moved else found

    def _is_as_before(self, handle: Handle) -> bool:
        moved = self._changed.moved
        if not self._changed.may_concern(handle.name, handle.within):
            # Some names tell the line of what they are made of.
            return not (moved and ":" in handle.name)
        now = _moved(handle, moved)
        if self._after.is_called(now) != self._before.is_called(handle):
            return False
        aliases = self._before.aliases(handle)
        if moved:
            aliases = frozenset(_moved(each, moved) for each in aliases)
        return bool(self._after.aliases(now) == aliases)


def _moved(handle: Handle, places: Mapping[Scope, Scope]) -> Handle:
    """The same where functions stand in other places."""
    within = places.get(handle.within) if handle.within is not None else None
    return handle if within is None else handle._replace(within=within)


def offers_the_same(record: ir.ModuleIndex, before: Project) -> bool:
    """Whether a file offers others what it offered before."""
    old = before.modules.get(record.module)
    return old is not None and interface(old) == interface(record)


def _signatures(
    project: Project, name: str, records: Collection[ir.ModuleIndex]
) -> set[_Signature]:
    """The functions and classes of a name in some files, as calls may run them."""
    found: set[_Signature] = set()
    for tables in project.tables:
        for record, _, function in tables.functions.get(name, ()):
            if any(record is each for each in records):
                found.add(_signature(name, function))
        for record, _, defined in tables.classes.get(name, ()):
            if any(record is each for each in records):
                key = defined.methods.get("__init__", "")
                known = key in record.functions
                found.add(_signature(name, record.functions[key]) if known else (name, (), False))
    return found


def _signature(name: str, function: ir.Function) -> _Signature:
    return name, tuple(each.name for each in function.parameters), function.owner is not None
