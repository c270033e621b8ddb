"""Which files of a project may run with which: the import graph, both ways."""

from __future__ import annotations

from collections.abc import Iterator

from nnx_migrate.facts import ir
from nnx_migrate.facts.project import Project


def imported_by(project: Project, module: str) -> frozenset[str]:
    """The modules that a module imports, directly or through others, itself included."""
    found = {module}
    pending = [module]
    while pending:
        new = set(_imports(project, pending.pop())) - found
        found |= new
        pending += new
    return frozenset(found)


def _imports(project: Project, module: str) -> Iterator[str]:
    record = project.modules[module]
    targets = {
        value.target
        for function in record.functions.values()
        for values in function.bindings.values()
        for value in values
        if isinstance(value, ir.ImportRef)
    }
    for target in (*targets, *record.star_imports):
        while target:
            if target in project.modules:
                yield target
                break
            target = target.rpartition(".")[0]
