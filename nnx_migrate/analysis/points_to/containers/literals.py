"""Texts and numbers by which something is found in a container, as code spells or names them."""

from __future__ import annotations

from collections.abc import Iterator

from nnx_migrate.analysis.domain.values import Located, Scope
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.points_to.abstract_objects import is_place
from nnx_migrate.analysis.points_to.queries import Objects
from nnx_migrate.analysis.symbols.program import Binding


def literal_of(objects: Objects, scope: Scope, expr: ir.Expr, at: float) -> str:
    """The text or the number that an expression is, by which something is found; "" of others."""
    return _text_of(_bound(objects, scope, expr.id, at) if isinstance(expr, ir.Name) else expr)


def _bound(objects: Objects, scope: Scope, name: str, at: float) -> ir.Expr:
    """What every run has bound a name to, by a line; what nobody knows where runs differ."""
    bound = list(with_lines(objects, scope, name))
    if len(bound) == 1 and isinstance(bound[0][0], Located):
        where = bound[0][0].scope
        alone = len(objects.project.function(where).bindings.get(name, ())) <= 1
        return bound[0][0].expr if alone else ir.UNSEEN
    function = objects.project.function(scope)
    first = max((a for a, last in function.settled.get(name, ()) if last < at), default=0)
    loops = [(start, end) for start, end in function.loops if start <= at <= end]
    lines = [line for _, line in bound if first < line < at or _is_in(loops, line)]
    settled = [each for each, line in bound if first and line == first]
    if lines or len(settled) != 1 or not isinstance(settled[0], Located):
        return ir.UNSEEN
    return settled[0].expr if settled[0].scope == scope else ir.UNSEEN


def _is_in(loops: list[tuple[int, int]], line: int) -> bool:
    return any(start <= line <= end for start, end in loops)


def _text_of(expr: ir.Expr) -> str:
    match expr:
        case ir.Constant(type="str" | "number", text=text) if text != "False" and is_place(text):
            return text
        case _:
            return ""


def with_lines(objects: Objects, scope: Scope, name: str) -> Iterator[tuple[Binding, int]]:
    """What a variable is bound to, each on which line of its function; 0 for other functions."""
    bindings = objects.project.bindings(scope, name)
    where = bindings[0].scope
    known = [isinstance(each, Located) and each.scope == where for each in bindings]
    lines = iter(lines_of(objects, where, name)[-sum(known) :])  # of what code further down can see
    for binding, is_known in zip(bindings, known, strict=True):
        yield binding, next(lines, 0) if is_known else 0


def lines_of(objects: Objects, scope: Scope, name: str) -> tuple[int, ...]:
    return objects.project.function(scope).lines.get(name, ()) or (0,)
