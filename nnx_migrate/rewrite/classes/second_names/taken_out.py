"""A statement that goes, with the comments that speak of it."""

from __future__ import annotations

import ast

from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.style.layout import removed_statement
from nnx_migrate.rewrite.text.edits import Edit


def taken_out(
    context: FileContext, init: ast.FunctionDef, statement: ast.stmt
) -> tuple[list[str], Edit]:
    """The comments that speak of a statement and nothing else, and what takes all of it out."""
    edit = removed_statement(context, statement)
    text, starts = context.text.text, context.text.line_starts
    beside = [line.strip() for line in edit.replacement.splitlines()]
    lines = text.splitlines()
    first, assumed = statement.lineno, statement.end_lineno
    assert assumed is not None
    while lines[first - 2].strip().startswith("#"):
        first -= 1
    below = lines[assumed].strip() if assumed < len(lines) else ""
    alone = not below or assumed == init.end_lineno
    comments = [line.strip() for line in lines[first - 1 : statement.lineno - 1]] if alone else []
    if not alone:
        first = statement.lineno
    if alone and not lines[first - 2].strip():  # the paragraph goes with a blank line
        first -= 1
    # The line ends go as they stand in front of what is taken out, so that the block ends there.
    taken = Edit(line_end(text, starts[first - 1]), line_end(text, edit.end), "")
    return [*comments, *beside], taken


def line_end(text: str, start: int) -> int:
    """The offset where the line in front of another one ends."""
    before = text[:start]
    return len(before) - (2 if before.endswith("\r\n") else before.endswith(("\r", "\n")))
