"""Bindings that a rewrite leaves without a reader are taken out with it."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Sequence

from nnx_migrate.analysis.domain.values import Scope
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.ownership import is_of_file
from nnx_migrate.rewrite.style.layout import line_after
from nnx_migrate.rewrite.text.edits import Edit


def drop_edits(context: FileContext, names: Sequence[str], site: Site) -> list[Edit]:
    """Remove the assignments of names that only this site read; those of functions alone."""
    edits: list[Edit] = []
    for name in dict.fromkeys(names):
        found = context.tree.assigned_value(context.tree.scope(site.node), name)
        if found is None:
            continue
        assignment = found[1]
        scope = context.tree.scope(assignment)
        loads = context.finder.loads(scope, name)
        if scope.function == ir.MODULE_SCOPE or len(loads) != 1 or _is_deleted(context, name):
            continue
        edits += removal(context, assignment)
    return edits


def drop_unread(context: FileContext, name: str) -> list[Edit]:
    """Remove the assignment of a module's name that has no reader left in any file."""
    scope = Scope(context.tree.module, ir.MODULE_SCOPE)
    found = context.tree.assigned_value(scope, name)
    if found is None or context.finder.loads(scope, name):
        return []
    if _is_deleted(context, name) or not is_of_file(context, scope, name):
        return []
    above = context.text.line_start(max(found[1].lineno - 1, 1))
    if context.comments_between(above, context.text.line_start(found[1].lineno)):
        return []  # a comment that would be left alone
    return removal(context, found[1])


def _is_deleted(context: FileContext, name: str) -> bool:
    """Whether the file has a `del` of the name, which needs one to be there."""
    return any(
        isinstance(node.ctx, ast.Del) and node.id == name for node in context.tree.of_kind(ast.Name)
    )


def removal(context: FileContext, assignment: ast.Assign) -> list[Edit]:
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
    return [
        Edit(
            first,
            line_after(context, assignment.end_lineno + _spare_blanks(context, assignment)),
            "",
        )
    ]


def _spare_blanks(context: FileContext, statement: ast.stmt) -> int:
    """How many blank lines below a statement are one gap too many when it is gone."""
    assert statement.end_lineno is not None
    above, below = 0, 0
    while _is_blank(context, statement.lineno - 1 - above):
        above += 1
    while _is_blank(context, statement.end_lineno + 1 + below):
        below += 1
    head = statement.lineno - 1 - above
    text = context.text
    opens = head >= 1 and text.text[text.line_start(head) : line_after(context, head)].rstrip()
    if above == 0 and opens and opens.endswith(":"):
        return below
    return min(above, below)


def _is_blank(context: FileContext, line: int) -> bool:
    if not 1 <= line < len(context.text.line_starts):
        return False
    return not context.text.text[context.text.line_start(line) : line_after(context, line)].strip()


def without_gap(edits: Sequence[Edit], dropped: Sequence[Edit]) -> list[Edit]:
    """No blank line in front of a definition that follows nothing but a dropped statement."""
    ends = {edit.end for edit in dropped if not edit.replacement}
    return [
        dataclasses.replace(e, replacement=e.replacement.lstrip("\r\n"))
        if e.start in ends and e.start == e.end and e.replacement[:1] in {"\r", "\n"}
        else e
        for e in edits
    ]
