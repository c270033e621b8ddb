"""Whether code outside of the project may use what a module defines.

It may use what a package offers under names without an underscore, and what any module lists in its
`__all__`, under the same or another name. Modules that are no part of a package are taken for
programs, as are those that no import statement can name: nobody imports them but files of the
project.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from nnx_migrate.analysis.domain.values import Located, Scope
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.symbols.imports.import_graph import is_packaged, reachable
from nnx_migrate.analysis.symbols.program import Project


def is_visible_outside(project: Project, module: str, path: str) -> bool:
    """Whether code that no file of the project shows may use a function, class or method.

    Args:
        module: the module that defines it.
        path: its name there: "step", or "Net.step" for a method.
    """
    name, *members = path.split(".")
    if any(map(_is_private, members)):
        return False
    record = project.modules[module]
    if is_packaged(record) and not _is_private(name):
        return True
    return any(
        _leads_to(project, f"{other.module}.{offered}", f"{module}.{name}")
        for other in project.modules.values()
        if other is record or name in other.words
        for offered in _offered(other)
    )


def _offered(record: ir.ModuleIndex) -> Iterable[str]:
    """The names that a module means to be used by others."""
    if not is_packaged(record) and ir.ALL_NAMES not in record.exports:
        return record.exports
    bound = record.functions[ir.MODULE_SCOPE].bindings
    # Other modules of a package import what they use themselves.
    own = (name for name in bound if record.is_package or not _is_imported(record, name))
    return record.exports.union(name for name in own if not _is_private(name))


def _is_imported(record: ir.ModuleIndex, name: str) -> bool:
    values = record.functions[ir.MODULE_SCOPE].bindings[name]
    return any(isinstance(value, ir.ImportRef) for value in values)


def _leads_to(project: Project, dotted: str, target: str) -> bool:
    """Whether a name of a module is bound to another, by imports and plain assignments."""
    return target in reachable(dotted, lambda name: _bound_to(project, name))


def _bound_to(project: Project, dotted: str) -> Iterator[str]:
    if dotted.rpartition(".")[0] not in project.modules:
        return
    for binding in project.member(dotted) or ():
        match binding:
            case Located(expr=ir.ImportRef(target=imported)):
                yield imported
            case Located(scope=Scope(module=there), expr=ir.Name(id=name)):
                yield f"{there}.{name}"


def _is_private(name: str) -> bool:
    """Whether a name says by its underscore that it is no one else's; `__call__` does not."""
    return name.startswith("_") and not (name.startswith("__") and name.endswith("__"))
