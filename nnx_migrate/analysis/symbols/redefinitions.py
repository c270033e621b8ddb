"""What a name that the body of a module binds again and again means at one of its lines."""

from __future__ import annotations

import dataclasses

from nnx_migrate.analysis.domain.values import Located, Scope
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.symbols.program import Project


def meant_at(project: Project, scope: Scope, expr: ir.Expr, line: int) -> ir.Expr:
    """An expression at a line of a module's body, with what its names mean there.

    Args:
        scope: what its names are looked up in.
        expr: what is called or passed, or an annotation.
    """
    if scope.function != ir.MODULE_SCOPE:
        return expr
    match expr:
        case ir.Name():
            return _bound_at(project, scope, expr, line)
        case ir.Choice(options=options):
            reached = (meant_at(project, scope, option, line) for option in options)
            return dataclasses.replace(expr, options=tuple(reached))
        case ir.Call(
            func=ir.Name(id="<tuple annotation>" | "<container annotation>" | "<dict annotation>"),
            args=args,
        ):
            given = (meant_at(project, scope, argument, line) for argument in args)
            return dataclasses.replace(expr, args=tuple(given))
        case _:
            return expr


def _bound_at(project: Project, scope: Scope, name: ir.Name, line: int) -> ir.Expr:
    lines = project.function(scope).in_order.get(name.id, ())
    bindings = project.bindings(scope, name.id) if lines else []
    if len(bindings) != len(lines):
        return name
    before = [binding for binding, below in zip(bindings, lines, strict=True) if below < line]
    last = before[-1] if before else None
    return last.expr if isinstance(last, Located) else name
