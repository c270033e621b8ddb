"""All calls of a name that a statement binds."""

from __future__ import annotations

import ast

from codemods._forward import NotCaptured
from nnx_migrate.facts import ir
from nnx_migrate.rewrite.context import FileContext


def known_calls(context: FileContext, place: ast.stmt, name: str) -> tuple[ast.Call, ...]:
    """All calls of what `name` is bound to by a statement.

    Raises:
        NotCaptured: others may call it, or it is more than called.
    """
    scope = context.tree.scope(place)
    if len(context.project.bindings(scope, name)) != 1:
        raise NotCaptured(f"{name} is bound more than once")
    if scope.function == ir.MODULE_SCOPE:
        check_private(context, name)
    calls = []
    for load in context.finder.loads(scope, name):
        parent = context.tree.parents[load]
        if not (isinstance(parent, ast.Call) and parent.func is load):
            raise NotCaptured(f"{name} is more than called (line {load.lineno})")
        calls.append(parent)
    if not calls:
        raise NotCaptured(f"{name} is not called in this file")
    return tuple(calls)


def check_private(context: FileContext, name: str) -> None:
    """Code that is not to be seen must not have any way to call it.

    Raises:
        NotCaptured: it has.
    """
    module = context.tree.module
    record = context.project.modules[module]
    packaged = "." in module or record.is_package
    if (packaged and not name.startswith("_")) or name in (record.exports or ()):
        raise NotCaptured(f"code outside of the project may call {name}")
    for other in context.project.modules.values():
        imports = other.module != module and name in other.words
        if imports and module in context.analysis.imports.of(other.module):
            raise NotCaptured(f"{name} may be used in {other.path} too")
