"""A call gives one result more: the statement that takes its result unpacks that too."""

from __future__ import annotations

import ast

from nnx_migrate.analysis.ir.parse import parse
from nnx_migrate.analysis.sites.tree import names_in
from nnx_migrate.rewrite.model.causes import PoppedCause
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import CannotEmit
from nnx_migrate.rewrite.style.naming import fresh
from nnx_migrate.rewrite.text.edits import Edit


def second_result(context: FileContext, taking: ast.stmt, state: str) -> list[Edit]:
    """What was all of the result is the first of two.

    Args:
        taking: the statement that the call is the value of.
        state: a name for the second one.

    Raises:
        CannotEmit: the statement cannot be made to unpack it.
    """
    match taking:
        case ast.Expr(value=value):
            start = context.text.span(value)[0]
            return [Edit(start, start, f"{unread_name(context, 'result')}, {state} = ")]
        case ast.Assign(targets=[target]):
            start, end = context.text.span(target)
            edits = [Edit(end, end, f", {state}")]
            if isinstance(target, ast.Tuple) and not in_parentheses(context, target):
                edits = [Edit(start, start, "("), Edit(end, end, f"), {state}")]
            elif isinstance(target, ast.Starred):
                raise CannotEmit(PoppedCause.UNPACKED_INTO_STAR)
            return edits
        case _:
            raise CannotEmit(PoppedCause.NOT_UNPACKABLE)


def in_parentheses(context: FileContext, target: ast.Tuple) -> bool:
    text = context.text.of(target)
    if not (text.startswith("(") and text.endswith(")")):
        return False
    try:
        parse(f"[{text[1:-1]}\n]")
    except SyntaxError:  # `(a), (b)`
        return False
    return True


def auxiliary_result(
    context: FileContext, taking: ast.stmt, has_value: bool, has_aux: bool, state: str
) -> list[Edit]:
    """A gradient has an auxiliary output, or one more beside the one that it has.

    Args:
        has_value: the value comes with it.

    Raises:
        CannotEmit: the statement does not show where that goes.
    """
    if not has_value and not has_aux:
        return second_result(context, taking, state)
    match taking:
        case ast.Assign(targets=[ast.Tuple(elts=[ast.Tuple(elts=[_, aux]), _])]) if (
            has_value and has_aux
        ):
            inner: ast.expr = aux
        case ast.Assign(targets=[ast.Tuple(elts=[value, _])]) if has_value and not has_aux:
            inner = value
        case ast.Assign(targets=[ast.Tuple(elts=[_, aux])]) if not has_value:
            inner = aux
        case _:
            raise CannotEmit(PoppedCause.GRADIENT_NOT_UNPACKED)
    if isinstance(inner, ast.Starred | ast.Tuple) and not _is_closed(context, inner):
        raise CannotEmit(PoppedCause.UNPACKED_FURTHER)
    start, end = context.text.span(inner)
    return [Edit(start, start, "("), Edit(end, end, f", {state})")]


def annotated_pair(context: FileContext, annotation: ast.expr | None, nnx: str) -> list[Edit]:
    """What was annotated is the first of two, and the second one a State."""
    if annotation is None:
        return []
    start, end = context.text.span(annotation)
    return [Edit(start, start, "tuple["), Edit(end, end, f", {nnx}.State]")]


def _is_closed(context: FileContext, target: ast.expr) -> bool:
    return isinstance(target, ast.Tuple) and in_parentheses(context, target)


def unread_name(context: FileContext, otherwise: str) -> str:
    """A name for what nothing reads: `_`, unless that means something in the file."""
    read = any(
        node.id == "_" and isinstance(node.ctx, ast.Load) for node in context.tree.of_kind(ast.Name)
    )
    return fresh([otherwise], names_in(context.tree.root))[0] if read else "_"
