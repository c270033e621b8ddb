"""Which of several classes of one name is meant at a line of the body of a module."""

from __future__ import annotations

import dataclasses

from nnx_migrate.analysis.domain.values import Located, Scope
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.symbols.program import Project


def with_classes(project: Project, scope: Scope, expr: ir.Expr, line: int) -> ir.Expr:
    """An expression at a line of a module's body, with the classes that its names mean there.

    Args:
        scope: what its names are looked up in.
        expr: what is called, or an annotation.
    """
    if scope.function != ir.MODULE_SCOPE:
        return expr
    match expr:
        case ir.Name():
            return _class_at(project, scope, expr, line)
        case ir.Choice(options=options):
            reached = (with_classes(project, scope, option, line) for option in options)
            return dataclasses.replace(expr, options=tuple(reached))
        case ir.Call(
            func=ir.Name(id="<tuple annotation>" | "<container annotation>" | "<dict annotation>"),
            args=args,
        ):
            given = (with_classes(project, scope, argument, line) for argument in args)
            return dataclasses.replace(expr, args=tuple(given))
        case _:
            return expr


def _class_at(project: Project, scope: Scope, name: ir.Name, line: int) -> ir.Expr:
    bindings = project.bindings(scope, name.id)
    if len(bindings) < 2:
        return name
    before: list[ir.Class] = []
    for binding in bindings:
        if not (isinstance(binding, Located) and isinstance(binding.expr, ir.ClassRef)):
            return name
        record = project.modules[binding.scope.module].classes[binding.expr.key]
        if binding.scope != scope or not record.in_order:
            return name
        before += [record] if record.line < line else []
    return ir.ClassRef(max(before, key=lambda r: r.line).key) if before else name
