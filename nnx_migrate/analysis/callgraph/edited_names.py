"""What an edit of a file may change of what functions anywhere become, by last names."""

from __future__ import annotations

import functools
from collections.abc import Iterator

from nnx_migrate.analysis.callgraph.called_functions import Handle
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.symbols.program import Project

#: A function or class as a call may run it: its name, its parameters, whether it is a method.
_Signature = tuple[str, tuple[str, ...], bool]


class EditedNames:
    """Tells whether something may become something else than before the edit.

    Args:
        project: after the edit.
        before: the project that it was.
    """

    def __init__(self, project: Project, before: Project) -> None:
        self._project = project
        self._before = before

    def concern(self, handle: Handle) -> bool:
        """Whether code in which names may mean something else says what becomes of a handle."""
        there = handle.within is not None and handle.within.module in self._project.renewed
        return there or handle.name in self._passed_on or handle.name in self.signatures

    def are_among(self, handles: frozenset[Handle]) -> bool:
        """Whether any of these is a variable of such code."""
        renewed = self._project.renewed
        return any(each.within is not None and each.within.module in renewed for each in handles)

    @functools.cached_property
    def _passed_on(self) -> frozenset[str]:
        """The names of what such code passes on, or imports under other names; now or before."""
        renewed = self._project.renewed
        return frozenset(
            name
            for tables in self._project.tables
            for table in (tables.passed_on, tables.renamed)
            for name, rows in table.items()
            if any(record.module in renewed for record, _, _ in rows)
        )

    @functools.cached_property
    def signatures(self) -> frozenset[str]:
        """The names of functions and classes that are there no more, are new, or take others."""
        found: set[_Signature] = set()
        for edited in self._project.tables[0].records:
            earlier = self._before.modules.get(edited.module)
            old = set() if earlier is None else set(_signatures(earlier))
            found |= old ^ set(_signatures(edited))
        return frozenset(name for name, _, _ in found)


def _signatures(index: ir.ModuleIndex) -> Iterator[_Signature]:
    for function in index.functions.values():
        yield _signature(function.name, function)
    for each in index.classes.values():
        key = each.methods.get("__init__", "")
        if key in index.functions:
            yield _signature(each.name, index.functions[key])
        else:
            yield each.name, (), False


def _signature(name: str, function: ir.Function) -> _Signature:
    return name, tuple(each.name for each in function.parameters), function.owner is not None
