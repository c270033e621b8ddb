"""Reads of what was sown on an object become reads of a State."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from nnx_migrate.rewrite.context import FileContext
from nnx_migrate.rewrite.edits import Edit
from nnx_migrate.rewrite.layout import removed_statement
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
            edits.append(removed_statement(context, statement))
            continue
        span = context.text.span(read.node)
        if context.comments_between(*span):
            raise CannotEmit("a comment stands where what is sown is read")
        edits.append(Edit(*span, name + "".join(f"[{key}]" for key in read.path)))
    return edits
