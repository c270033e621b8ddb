"""How constructors are called, and what they are given."""

from __future__ import annotations

from collections.abc import Iterator

from nnx_migrate.analysis.domain.values import Scope
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.symbols.program import Project

#: What gives the Variables of its argument, or the argument itself, and not copies.
_HOLDERS = frozenset({"state", "variables", "compat.state", "data"})


def arguments_of(call: ir.Call) -> Iterator[ir.Expr]:
    yield from call.args
    yield from (value for _, value in call.keywords)


def is_super_init(call: ir.Call) -> bool:
    func = call.func
    return isinstance(func, ir.Attribute) and func.name == "__init__" and ir.is_super(func.base)


def attribute_path(expr: ir.Expr) -> tuple[str, ...]:
    """The names of the attributes of `self.a.b`."""
    names: list[str] = []
    while isinstance(expr, ir.Attribute):
        names.append(expr.name)
        expr = expr.base
    return tuple(reversed(names))


def whose(project: Project, scope: Scope, expr: ir.Expr | None) -> ir.Expr:
    """The object whose Variables an expression holds: m of `nnx.state(m)`, of `nnx.data(m)`."""
    while isinstance(expr, ir.Call) and expr.args:
        if project.nnx_name(scope, expr.func) not in _HOLDERS:
            break
        expr = expr.args[0]
    return expr if expr is not None else ir.UNSEEN
