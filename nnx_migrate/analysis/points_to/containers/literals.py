"""Texts and numbers by which something is found in a container, as code spells or names them."""

from __future__ import annotations

from collections.abc import Iterator

from nnx_migrate.analysis.domain.values import Located, Scope
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.points_to.abstract_objects import is_place
from nnx_migrate.analysis.points_to.queries import Objects
from nnx_migrate.analysis.symbols.program import Binding
from nnx_migrate.analysis.symbols.reaching_definitions import at_line, reaching, seen_by


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
    definitions = objects.project.function(scope).definitions.get(name, ())
    if len(definitions) != len(bound):
        return ir.UNSEEN
    only = reaching(definitions, at_line(at)).only
    found = None if only is None else bound[only][0]
    if not isinstance(found, Located) or found.scope != scope:
        return ir.UNSEEN
    return found.expr


def _text_of(expr: ir.Expr) -> str:
    match expr:
        case ir.Constant(type="str" | "number", text=text) if text != "False" and is_place(text):
            return text
        case _:
            return ""


def with_places(objects: Objects, scope: Scope, name: str) -> Iterator[tuple[Binding, int | None]]:
    """What a variable is bound to, each with its place among all bindings in its function."""
    bindings = objects.project.bindings(scope, name)
    where = bindings[0].scope
    known = [isinstance(each, Located) and each.scope == where for each in bindings]
    seen = iter(seen_by(objects.project, scope, where, name))
    for binding, is_known in zip(bindings, known, strict=True):
        yield binding, next(seen, None) if is_known else None


def with_lines(objects: Objects, scope: Scope, name: str) -> Iterator[tuple[Binding, int]]:
    """What a variable is bound to, each on which line of its function; 0 for other functions."""
    for binding, place in with_places(objects, scope, name):
        yield binding, 0 if place is None else lines_of(objects, binding.scope, name)[place]


def lines_of(objects: Objects, scope: Scope, name: str) -> tuple[int, ...]:
    return objects.project.function(scope).lines.get(name, ()) or (0,)
