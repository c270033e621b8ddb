"""Reads of what was sown on an object become reads of a State."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from nnx_migrate.rewrite.context import FileContext
from nnx_migrate.rewrite.edits import Edit
from nnx_migrate.rewrite.layout import line_after, removed_statement
from nnx_migrate.rewrite.plan import CannotEmit, Read


def reading_edits(context: FileContext, reads: Sequence[Read], name: str) -> list[Edit]:
    """Edits to all reads.

    Args:
        name: that of the State.

    Raises:
        CannotEmit: a comment stands in one of them.
    """
    edits = []
    for read in reads:
        statement = context.tree.statement(read.node)
        if isinstance(statement, ast.Expr) and statement.value is read.node:
            edits.append(_dropped(context, statement))
            continue
        span = context.text.span(read.node)
        if context.comments_between(*span):
            raise CannotEmit("a comment stands where what is sown is read")
        edits.append(Edit(*span, name + "".join(f"[{key}]" for key in read.path)))
    return edits


def _dropped(context: FileContext, statement: ast.stmt) -> Edit:
    """Take out a statement, with its `else` when that has no other one."""
    block = context.tree.block_of(statement)
    if len(block) > 1:
        return removed_statement(context, statement)
    start, end = context.text.span(statement)
    around = context.tree.parents[statement]
    if not (isinstance(around, ast.If) and around.orelse is block):
        return Edit(start, end, "pass")
    before = context.text.span(around.body[-1])[1]
    between = context.text.text[before:start]
    stop = line_after(context, context.text.line_of(end))
    alone = not context.text.text[end:stop].strip() and context.text.text[:stop].endswith("\n")
    if between.split() not in (["else:"], ["else", ":"]) or not alone or "\n" not in between:
        return Edit(start, end, "pass")
    return Edit(line_after(context, context.text.line_of(before)), stop, "")
