"""Bindings that a rewrite leaves without a reader are taken out with it."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from nnx_migrate.facts import ir
from nnx_migrate.facts.sites import Site, assigned_value
from nnx_migrate.rewrite.context import FileContext
from nnx_migrate.rewrite.edits import Edit
from nnx_migrate.rewrite.layout import line_after


def drop_edits(context: FileContext, names: Sequence[str], site: Site) -> list[Edit]:
    """Remove the assignments of names that only this site read.

    A name at module level stays: another file may import it, and it harms nothing.
    """
    edits: list[Edit] = []
    for name in dict.fromkeys(names):
        found = assigned_value(context.tree, context.tree.scope(site.node), name)
        if found is None:
            continue
        assignment = found[1]
        scope = context.tree.scope(assignment)
        loads = context.finder.loads(scope, name)
        if scope.function == ir.MODULE_SCOPE or len(loads) != 1:
            continue
        edits += _removal(context, assignment)
    return edits


def _removal(context: FileContext, assignment: ast.Assign) -> list[Edit]:
    """Remove a statement with its line, when it has its lines for itself and a neighbour."""
    text = context.text
    start, end = text.span(assignment)
    assert assignment.end_lineno is not None
    first = text.line_start(assignment.lineno)
    last = line_after(context, assignment.end_lineno)
    behind = text.text[end:last].strip()
    alone = not text.text[first:start].strip() and (not behind or behind.startswith("#"))
    if not alone or len(context.tree.block_of(assignment)) == 1:
        return []
    kept = context.comments_between(start, last)
    if kept:
        indent = context.text.indent_of_line(assignment.lineno)
        return [Edit(first, last, "".join(f"{indent}{c}{context.newline}" for c in kept))]
    if _opens_block(context, assignment) and _is_blank(context, assignment.end_lineno + 1):
        last = line_after(context, assignment.end_lineno + 1)
    return [Edit(first, last, "")]


def _opens_block(context: FileContext, statement: ast.stmt) -> bool:
    """Whether nothing but a header or a blank line stands above a statement."""
    above = statement.lineno - 1
    line = context.text.text[context.text.line_start(above) : line_after(context, above)].strip()
    return not line or line.endswith(":")


def _is_blank(context: FileContext, line: int) -> bool:
    if line >= len(context.text.line_starts):
        return False
    return not context.text.text[context.text.line_start(line) : line_after(context, line)].strip()
