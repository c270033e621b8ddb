"""Which functions find what others put into a name of a module: `CURRENT.append(model)`."""

from __future__ import annotations

from collections.abc import Iterator

from nnx_migrate.analysis.domain.values import Located, Scope
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.symbols.program import Project


def name_of_module(project: Project, scope: Scope, expr: ir.Expr) -> tuple[str, str] | None:
    """The module and the name of it that an expression is, or is an element of; else None."""
    while isinstance(expr, ir.Element | ir.Unpacked):
        expr = expr.base
    if not isinstance(expr, ir.Name):
        return None
    bound = project.bindings(scope, expr.id)
    homes = {each.scope if isinstance(each, Located) else None for each in bound}
    home = homes.pop() if len(homes) == 1 else None
    if home is None or home.function != ir.MODULE_SCOPE:
        return None
    return home.module, expr.id


def kept_in(expr: ir.Expr) -> tuple[ir.Expr, str]:
    """What something is an attribute of, or an element of one, and the attributes on the way."""
    names: list[str] = []
    while isinstance(expr, ir.Attribute | ir.Element | ir.Unpacked):
        if isinstance(expr, ir.Attribute):
            names.append(expr.name)
        expr = expr.base
    return expr, ".".join(reversed(names))


def readers(project: Project, module: str, name: str) -> Iterator[Scope]:
    """The functions of a module in which one of its names occurs."""
    for key, function in project.modules[module].functions.items():
        body = (function.calls, function.reads, function.writes, function.returns)
        if key != ir.MODULE_SCOPE and occurs(name, (*body, *function.bindings.values())):
            yield Scope(module, key)


def occurs(name: str, part: object) -> bool:
    """Whether a name occurs in an expression, or in several."""
    if isinstance(part, ir.Name):
        return part.id == name
    if isinstance(part, tuple):
        return any(occurs(name, each) for each in part)
    fields: tuple[str, ...] = getattr(part, "__match_args__", ())
    return any(occurs(name, getattr(part, field)) for field in fields)
