"""Calls that pass by place what they passed by keyword, or left to its default."""

from __future__ import annotations

import ast

from nnx_migrate.rewrite.model.causes import ThreadCause
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import ByPlace, CannotEmit, PlacedCall
from nnx_migrate.rewrite.text.edits import Edit


def by_place_edits(context: FileContext, plan: ByPlace) -> list[Edit]:
    """The edits at each of the calls.

    Raises:
        CannotEmit: a comment stands where a name is taken out.
    """
    return [edit for each in plan.calls for edit in _edits(context, each)]


def _edits(context: FileContext, placed: PlacedCall) -> list[Edit]:
    """The names go, and defaults are written out where one is left out."""
    call, text = placed.call, context.text.text
    edits: list[Edit] = []
    pending: list[str] = []
    for item in placed.passed:
        if isinstance(item, str):
            pending.append(item)
            continue
        value = context.text.span(item.value)[0]
        start = context.text.span(item)[0]
        between = text[start:value]
        if "#" in between:
            raise CannotEmit(ThreadCause.ARGUMENT_HAS_COMMENT)
        opened = between[between.index("=") + 1 :].strip()
        edits.append(Edit(start, value, "".join(f"{each}, " for each in pending) + opened))
        pending = []
    if pending:
        edits.append(_behind(context, call, placed, pending))
    return edits


def _behind(context: FileContext, call: ast.Call, placed: PlacedCall, defaults: list[str]) -> Edit:
    """Write defaults behind what is passed by place, in front of other keywords."""
    named = [each.value for each in placed.passed if not isinstance(each, str)]
    last = named[-1] if named else (call.args[-1] if call.args else None)
    if last is not None:
        end = context.text.span(last)[1]
        while context.text.text[end] == ")" and end < context.text.span(call)[1] - 1:
            end += 1
        return Edit(end, end, "".join(f", {each}" for each in defaults))
    opening = context.text.text.index("(", context.text.span(call.func)[1]) + 1
    rest = ", " if call.keywords else ""
    return Edit(opening, opening, ", ".join(defaults) + rest)
