"""Statements that stood on one line, once an edit has made that longer than the file's lines.

    loss, grads = nnx.value_and_grad(loss_fn_of_state, has_aux=True)(params, nondiff, batch)

becomes, where the formatter is told 80:

    loss, grads = nnx.value_and_grad(loss_fn_of_state, has_aux=True)(
        params, nondiff, batch
    )
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable

from nnx_migrate.core.findings import Finding, Outcome
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.style.layout import line_after
from nnx_migrate.rewrite.style.line_width import shown, within_width
from nnx_migrate.rewrite.text.edits import Edit

_REWRITTEN = frozenset({Outcome.REWRITTEN, Outcome.REWRITTEN_CHECKED})
_BROKEN = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Return)


def broken(
    context: FileContext,
    written: Iterable[tuple[int, int, tuple[Finding, ...]]],
    was_long: Callable[[int], bool],
) -> dict[Edit, tuple[Finding, ...]]:
    """The edits that break such statements in their last brackets, with the findings that they
    are for.

    Pins have broken their own lines, in the shape that later runs know them by.

    Args:
        written: the spans of the text that edits have written, or taken out.
        was_long: whether the line that became this one was too long already.
    """
    spans = [each for each in written if any(f.outcome in _REWRITTEN for f in each[2])]
    edits: dict[Edit, tuple[Finding, ...]] = {}
    statements = [each for kind in _BROKEN for each in context.tree.of_kind(kind) if spans]
    for statement in statements:
        if statement.lineno != statement.end_lineno:
            continue
        start = context.text.line_start(statement.lineno)
        stop = line_after(context, statement.lineno)
        touching = [each for each in spans if start <= each[0] and each[1] <= stop]
        if touching and not was_long(statement.lineno):
            findings = tuple(dict.fromkeys(f for each in touching for f in each[2]))
            edits |= dict.fromkeys(_breaks(context, statement, start, stop), findings)
    return edits


def _breaks(context: FileContext, statement: ast.stmt, start: int, stop: int) -> list[Edit]:
    line = context.text.text[start:stop].rstrip()
    indent = context.text.indent_of_line(statement.lineno)
    code, end = line[len(indent) :], context.text.span(statement)[1]
    if context.text.span(statement) != (start + len(indent), start + len(line)):
        return []  # something else stands in the line
    width = context.options.width
    parts = within_width(code, shown(indent), context.continuation_unit, width)
    if len(parts) == 1 or any(shown(indent + each) > width for each in parts):
        return []
    return [Edit(start, end, context.newline.join(indent + each for each in parts))]
