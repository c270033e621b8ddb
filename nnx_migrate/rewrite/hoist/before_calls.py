"""Statements at the top of a function are moved before its calls."""

from __future__ import annotations

import ast

from nnx_migrate.rewrite.model.causes import HoistCause
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import CannotEmit, Hoist, HoistedCall
from nnx_migrate.rewrite.style.layout import insert_before, line_after
from nnx_migrate.rewrite.text.edits import Edit


def hoist_edits(context: FileContext, plan: Hoist) -> list[Edit]:
    """Edits that move statements of a function before each call of it.

    Raises:
        CannotEmit: they, or a call, share a line with other code.
    """
    moved_out = () if plan.stay else plan.statements
    edits = [_taken_out(context, statement) for statement in moved_out]
    for call in plan.calls:
        statement = context.tree.statement(call.use)
        code = _code_for(context, plan, call)
        if code == _standing_before(context, statement, len(code)):
            continue
        begins = context.text.span(statement)[0]
        if context.text.text[context.text.line_start(statement.lineno) : begins].strip():
            raise CannotEmit(HoistCause.CODE_BESIDE_CALL)
        lines: list[str] = []
        for moved, text in zip(plan.statements, code, strict=True):
            lines += [text] if plan.stay else _with_comments(context, moved, text)
        edits.append(insert_before(context, statement, lines))
    return edits


def stand_before_calls(context: FileContext, plan: Hoist) -> bool:
    """Whether the statements stand right before all calls already."""
    return all(
        (code := _code_for(context, plan, call))
        == _standing_before(context, context.tree.statement(call.use), len(code))
        for call in plan.calls
    )


def _code_for(context: FileContext, plan: Hoist, call: HoistedCall) -> list[str]:
    """Source text of all statements, of what a call is given."""
    return [_for_call(context, each, root, call) for each, root in plan.statements.items()]


def _with_comments(context: FileContext, moved: ast.stmt, text: str) -> list[str]:
    """The lines of a statement, with the comments that go with it."""
    return [*_comments_above(context, moved), text + _behind(context, moved)]


def _for_call(context: FileContext, statement: ast.stmt, root: ast.Name, call: HoistedCall) -> str:
    """Source text of a statement, of what a call is given in the place of the parameter."""
    start, end = context.text.span(statement)
    begin, stop = context.text.span(root)
    source = context.text.text
    return source[start:begin] + context.text.of(call.given[root.id]) + source[stop:end]


def _behind(context: FileContext, statement: ast.stmt) -> str:
    """The comment behind a statement, with the space before it."""
    assert statement.end_lineno is not None
    end = context.text.span(statement)[1]
    return context.text.text[end : line_after(context, statement.end_lineno)].rstrip()


def _comments_above(context: FileContext, statement: ast.stmt) -> list[str]:
    """The comments above a statement that stands for itself: they are about nothing else."""
    if _line(context, statement.lineno + 1).strip():
        return []
    found: list[str] = []
    line = statement.lineno - 1
    while line not in context.string_lines and _line(context, line).strip().startswith("#"):
        found.insert(0, _line(context, line).strip())
        line -= 1
    return found


def _standing_before(context: FileContext, statement: ast.stmt, count: int) -> list[str]:
    """Source text of the statements right before another one."""
    block = context.tree.block_of(statement)
    place = block.index(statement)
    return [context.text.of(each) for each in block[max(0, place - count) : place]]


def _taken_out(context: FileContext, statement: ast.stmt) -> Edit:
    """Take a statement out with its line; of two blank lines around it, one is left."""
    text = context.text
    first, last = text.span(statement)
    if statement.lineno != statement.end_lineno:
        raise CannotEmit(HoistCause.SETTING_LONGER)
    stop = line_after(context, statement.lineno)
    behind = text.text[last:stop].strip()
    if text.text[text.line_start(statement.lineno) : first].strip() or (
        behind and not behind.startswith("#")
    ):
        raise CannotEmit(HoistCause.SETTING_BESIDE_CODE)
    top = statement.lineno - len(_comments_above(context, statement))
    above = _line(context, top - 1).strip()
    if not _line(context, statement.lineno + 1).strip() and (not above or above.endswith(":")):
        stop = line_after(context, statement.lineno + 1)
    return Edit(text.line_start(top), stop, "")


def _line(context: FileContext, line: int) -> str:
    """The text of a line; empty where there is none."""
    start = context.text.line_start(line) if line > 0 else 0
    return context.text.text[start : line_after(context, line)] if line > 0 else ""
