"""Which names the body of a module binds one statement after the other, and where each time.

A notebook binds the same names in cell after cell. What such a name means at a line of the body is
what the last of these statements above the line has bound it to.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from nnx_migrate.analysis.ir import nodes as ir


def binding_order(
    body: Sequence[ast.stmt], bindings: Mapping[str, Sequence[ir.Expr]]
) -> dict[str, tuple[int, ...]]:
    """The lines below which each binding of a name holds, for names that are bound several times.

    A function or a class can be meant below its first line, all else below its statement.

    Args:
        body: the statements of a module.
        bindings: all that its names are bound to, anywhere in it.

    Returns:
        Nothing of names that some of it binds in a block, in a function, or in another way.
    """
    again = {name for name, values in bindings.items() if len(values) > 1}
    if not again:
        return {}
    found: dict[str, list[int]] = defaultdict(list)
    for above, statement, below in zip((None, *body[:-1]), body, (*body[1:], None), strict=True):
        if _share_a_line(above, statement) or _share_a_line(statement, below):
            continue
        for name, line in _bound(statement):
            if name in again:
                found[name].append(line)
    return {name: tuple(ls) for name, ls in found.items() if len(ls) == len(bindings[name])}


def _share_a_line(one: ast.stmt | None, other: ast.stmt | None) -> bool:
    return one is not None and other is not None and _end(one) == other.lineno


def _end(statement: ast.stmt) -> int:
    return statement.end_lineno or statement.lineno


def _bound(statement: ast.stmt) -> Iterator[tuple[str, int]]:
    match statement:
        case ast.Assign(targets=targets):
            yield from (
                (each.id, _end(statement)) for each in targets if isinstance(each, ast.Name)
            )
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr()):
            yield name, _end(statement)
        case ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            yield name, statement.lineno
        case ast.ImportFrom(names=names):
            yield from ((alias.asname or alias.name, _end(statement)) for alias in names)
