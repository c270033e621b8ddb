"""Reads of what was sown on an object become reads of a State."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from nnx_migrate.analysis.sites.tree import names_in
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import CannotEmit
from nnx_migrate.rewrite.model.sown_plans import Popper, Read
from nnx_migrate.rewrite.style.layout import line_after, removed_statement
from nnx_migrate.rewrite.style.naming import fresh
from nnx_migrate.rewrite.text.edits import Edit


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


def popper_edits(context: FileContext, popper: Popper, name: str, nnx: str) -> list[Edit]:
    """A function that pops what is sown on its first argument is given the State instead.

    Args:
        name: for the argument, where the function has none for what it pops.

    Raises:
        CannotEmit: a comment stands in the pop.
    """
    function, statement = popper.function, context.tree.statement(popper.pop)
    parameter = [*function.args.posonlyargs, *function.args.args][0]
    (argument,) = fresh([name], names_in(function))
    edits = []
    match statement:
        case ast.Assign(targets=[ast.Name(id=own)], value=value) if (
            value is popper.pop and _is_first(function, statement, own)
        ):
            argument = own
            edits.append(removed_statement(context, statement))
        case _:
            span = context.text.span(popper.pop)
            if context.comments_between(*span):
                raise CannotEmit("a comment stands in the call of nnx.pop")
            edits.append(Edit(*span, argument))
    annotated = f"{argument}: {nnx}.State" if parameter.annotation is not None else argument
    return [Edit(*context.text.span(parameter), annotated), *edits]


def _is_first(function: ast.FunctionDef, statement: ast.stmt, name: str) -> bool:
    """Whether a name means nothing in a function before a statement, which is not all of it."""
    before = function.body[: function.body.index(statement)]
    known = {each.arg for each in ast.walk(function.args) if isinstance(each, ast.arg)}
    return (
        name not in known
        and not any(name in names_in(each) for each in before)
        and (function.body[-1] is not statement)
    )


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
