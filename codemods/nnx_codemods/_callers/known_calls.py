"""All calls of a name that a statement binds, where all of them are in its file."""

from __future__ import annotations

import ast

from nnx_codemods._sown.refusal import NotCaptured
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.symbols.visibility import is_visible_outside
from nnx_migrate.core.place import Place
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.ownership import calls_by_name


def known_calls(context: FileContext, place: ast.stmt, name: str) -> tuple[ast.Call, ...]:
    """All calls of what `name` is bound to by a statement, where all of them are in its file.

    Raises:
        NotRewritten: others may call it, or it is more than called.
    """
    calls = tuple(calls_by_name(context, context.tree.scope(place), name))
    if context.tree.scope(place).function == ir.MODULE_SCOPE:
        check_private(context, name)
    if not calls:
        raise NotCaptured(f"{name} is not called in this file")
    return calls


def check_private(context: FileContext, name: str) -> None:
    """Code that is not to be seen must not have any way to call it.

    Raises:
        NotCaptured: it has.
    """
    if is_visible_outside(context.project, context.tree.module, name):
        raise NotCaptured(f"code outside of the project may call {name}")
    for other in context.analysis.imports.importers(context.tree.module, (name,)):
        raise NotCaptured(f"{name} may be used in {Place(other.module)} too")
