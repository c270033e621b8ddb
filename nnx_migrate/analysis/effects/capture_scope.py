"""Bound methods that a function gives to `nnx.capture` and uses in no other way."""

from __future__ import annotations

from collections.abc import Iterator

from nnx_migrate.analysis.domain.values import Scope
from nnx_migrate.analysis.flax.transforms import COLLECTING, spec
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.symbols.program import Project


def is_capture(project: Project, scope: Scope, expr: object) -> bool:
    """Whether it is `nnx.capture(f, ...)`."""
    if not isinstance(expr, ir.Call) or not expr.args:
        return False
    return spec(project.nnx_name(scope, expr.func)).collects


def captured_reads(project: Project, scope: Scope) -> set[ir.Expr]:
    """The attributes that are read as the first argument of `nnx.capture` alone."""
    if not any(map(project.has_word, COLLECTING)):
        return set()
    function = project.function(scope)
    found: set[ir.Expr] = {c.args[0] for c in function.calls if is_capture(project, scope, c)}
    if not found:
        return found
    others: set[ir.Expr] = set()
    values = [value for values in function.bindings.values() for value in values]
    written = [write.value for write in function.writes]
    for expr in (*values, *written, *function.returns, *function.yields, *function.calls):
        others.update(_outside(project, scope, expr))
    return found - others


def _outside(project: Project, scope: Scope, expr: object) -> Iterator[ir.Expr]:
    """The attributes in an expression, but for the first arguments of `nnx.capture`."""
    if isinstance(expr, tuple):
        for part in expr:
            yield from _outside(project, scope, part)
    elif is_capture(project, scope, expr):
        assert isinstance(expr, ir.Call)
        yield from _outside(project, scope, (expr.args[1:], expr.keywords))
    elif isinstance(expr, ir.Attribute):
        yield expr
        yield from _outside(project, scope, expr.base)
    elif isinstance(expr, ir.Call) and isinstance(expr.func, ir.Attribute):
        yield from _outside(project, scope, (expr.func.base, expr.args, expr.keywords))
    else:
        for name in getattr(expr, "__match_args__", ()):
            yield from _outside(project, scope, getattr(expr, name))
