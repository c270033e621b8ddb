"""The body and the condition of a loop, when what they capture becomes part of the carry."""

from __future__ import annotations

import ast
import dataclasses
from typing import Literal

from nnx_migrate.rewrite.loops.carry_layout import (
    Carry,
    LoopFunction,
    first_statement,
    index_edits,
    is_load,
    unpacking_target,
    whole_name,
)
from nnx_migrate.rewrite.loops.lambdas import lambda_edits
from nnx_migrate.rewrite.model.causes import LoopCause
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import CannotEmit
from nnx_migrate.rewrite.split.nested import own_returns
from nnx_migrate.rewrite.style.layout import body_indent, docstring_of, insert_at_top, line_after
from nnx_migrate.rewrite.style.tuple_display import appended, is_parenthesized
from nnx_migrate.rewrite.text.edits import Edit

Gives = Literal["carry", "carry and outputs", "no carry"]


def function_edits(
    context: FileContext, function: LoopFunction, carry: Carry, gives: Gives
) -> list[Edit]:
    """Edits to a function of the loop.

    Args:
        gives: what it returns. The caller edits returns of outputs too.

    Raises:
        CannotEmit: it cannot be told what it returns.
    """
    only_checks = gives == "no carry" and not function.captured
    if carry.size is not None and only_checks and unpacking_target(function, carry.size) is None:
        return index_edits(context, function, carry.size)
    if isinstance(function.definition, ast.Lambda):
        returns = gives == "carry"
        return lambda_edits(context, function, function.definition, carry, returns=returns)
    edits = _header_edits(context, function, function.definition, carry)
    edits += _unpacking_edits(context, function, carry, needed=gives != "no carry")
    if gives == "carry":
        edits += _return_edits(context, function.definition, carry)
    return edits


def _header_edits(
    context: FileContext, function: LoopFunction, definition: ast.FunctionDef, carry: Carry
) -> list[Edit]:
    """The carry is of another type now; a carry that is kept whole gets a parameter of its own."""
    text = context.text
    start, end = text.span(function.parameter)
    name = function.parameter.arg
    if carry.size is None:
        name = whole_name(context, function)
    edits = [Edit(start, end, name)] if text.text[start:end] != name else []
    if definition.returns is not None:
        stop = text.span(definition.returns)[1]
        arrow = text.text.rindex("->", end, stop)
        head = text.text[:arrow].rstrip()
        if context.comments_between(len(head), stop):
            raise CannotEmit(LoopCause.COMMENT_IN_ANNOTATION)
        edits.append(Edit(len(head), stop, ""))
    return edits


def _unpacking_edits(
    context: FileContext, function: LoopFunction, carry: Carry, *, needed: bool
) -> list[Edit]:
    definition = function.definition
    assert isinstance(definition, ast.FunctionDef)
    read = {name.id for name in function.captured}
    lines = [line for c in carry.added for line in c.lines(read)]
    needed = needed or bool(read)
    if carry.size is None:
        inner = function.parameter.arg
        outer = whole_name(context, function)
        names = carry.names if needed else _ignored(definition, len(carry.added))
        first = f"{', '.join([inner, *names])} = {outer}"
        return [insert_at_top(context, definition, [first, *lines])]
    target = unpacking_target(function, carry.size)
    edits = index_edits(context, function, carry.size)
    if target is None:
        starts = [
            f"{name} = {function.parameter.arg}[{carry.start + place}]"
            for place, name in enumerate(carry.names)
        ]
        return [*edits, insert_at_top(context, definition, [*starts, *lines])]
    names = carry.names if needed else _ignored(definition, len(carry.added))
    edits.append(appended(context, target, names))
    if lines:
        statement = first_statement(function)
        assert statement is not None
        edits.append(_insert_after(context, definition, statement, lines))
    return edits


def _ignored(node: ast.AST, count: int) -> list[str]:
    read = any(isinstance(n, ast.Name) and n.id == "_" and is_load(n) for n in ast.walk(node))
    return ["unused" if read else "_"] * count


def _insert_after(
    context: FileContext, definition: ast.FunctionDef, statement: ast.stmt, lines: list[str]
) -> Edit:
    assert statement.end_lineno is not None
    others = [s for s in definition.body if s not in {statement, docstring_of(definition)}]
    if any(other.lineno <= statement.end_lineno for other in others):
        raise CannotEmit(LoopCause.UNPACKED_BESIDE_CODE)
    place = line_after(context, statement.end_lineno)
    indent = body_indent(context, definition)
    return Edit(place, place, "".join(f"{indent}{line}{context.newline}" for line in lines))


def _return_edits(context: FileContext, definition: ast.FunctionDef, carry: Carry) -> list[Edit]:
    edits: list[Edit] = []
    found = own_returns(definition)
    if not found:
        raise CannotEmit(LoopCause.NOTHING_RETURNED)
    for node in found:
        if node.value is None:
            raise CannotEmit(LoopCause.NOT_ALL_RETURN)
        edits += returned_edits(context, node.value, carry)
    return edits


def returned_edits(
    context: FileContext, value: ast.expr, carry: Carry, *, within: bool = False
) -> list[Edit]:
    """Edits to what is returned as the carry.

    Args:
        within: it is an element of what is returned.

    Raises:
        CannotEmit: the carry has another size there.
    """
    edits = _returned(context, value, carry)
    if within and len(edits) > 1:
        first, last = edits
        first = dataclasses.replace(first, replacement=f"({first.replacement}")
        edits = [first, dataclasses.replace(last, replacement=f"{last.replacement})")]
    return edits


def _returned(context: FileContext, value: ast.expr, carry: Carry) -> list[Edit]:
    start, end = context.text.span(value)
    names = ", ".join(carry.names)
    if carry.size is None:
        read = context.text.readable[start:end]
        bare = isinstance(value, ast.Tuple) and not is_parenthesized(read)
        opening, closing = ("(", ")") if bare else ("", "")
        return [Edit(start, start, opening), Edit(end, end, f"{closing}, {names}")]
    if isinstance(value, ast.Tuple):
        if any(isinstance(e, ast.Starred) for e in value.elts) or len(value.elts) != carry.size:
            raise CannotEmit(LoopCause.OTHER_SIZE_RETURNED)
        return [appended(context, value, carry.names)]
    simple = isinstance(value, ast.Name | ast.Call | ast.Attribute | ast.Subscript)
    opening, closing = ("*", "") if simple else ("*(", ")")
    return [Edit(start, start, opening), Edit(end, end, f"{closing}, {names}")]
