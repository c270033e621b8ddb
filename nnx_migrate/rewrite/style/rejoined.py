"""Brackets that stand on three lines although one is enough, once an edit has made them shorter.

    y = nnx.split_rngs(splits=4)(         y = nnx.split_rngs(splits=4)(mapped)(model, x)
        mapped
    )(model, x)

A formatter would join them, unless a comma stands behind the last argument.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable

from nnx_migrate.core.findings import Finding
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.style.layout import line_after
from nnx_migrate.rewrite.style.line_width import shown
from nnx_migrate.rewrite.text.edits import Edit

#: What stands in the bracket of a call that is broken behind and in front of its brackets alone.
_ONE_LINE = re.compile(r"[ \t]*\r?\n[ \t]*(?P<given>\S[^\r\n]*[^\s,])[ \t]*\r?\n[ \t]*")


def rejoined(
    context: FileContext, written: Iterable[tuple[int, int, tuple[Finding, ...]]]
) -> dict[Edit, tuple[Finding, ...]]:
    """The edits that join such brackets, with the findings that they are for.

    Args:
        written: the spans of the text that edits have written, or taken out.
    """
    spans = sorted(written, key=lambda span: span[:2])
    edits: dict[Edit, tuple[Finding, ...]] = {}
    done = 0
    for call in sorted(context.tree.of_kind(ast.Call), key=context.text.span):
        if call.lineno == call.end_lineno or not (call.args or call.keywords):
            continue
        opening, closing = _brackets(context, call)
        touching = [each for each in spans if opening < each[0] and each[1] <= closing]
        if opening < done or not touching:
            continue
        found = _joined(context, opening, closing)
        if found:
            edits |= dict.fromkeys(found, tuple(dict.fromkeys(f for t in touching for f in t[2])))
            done = closing
    return edits


def _brackets(context: FileContext, call: ast.Call) -> tuple[int, int]:
    """The offsets of the bracket in front of the arguments and of the one behind them."""
    given: list[ast.expr | ast.keyword] = [*call.args, *call.keywords]
    first = min(context.text.span(each)[0] for each in given)
    opening = context.text.span(call.func)[1]
    # A generator that is the only argument begins with that bracket itself.
    return context.text.text.index("(", opening, first + 1), context.text.span(call)[1] - 1


def _joined(context: FileContext, opening: int, closing: int) -> list[Edit]:
    text = context.text.text
    match = _ONE_LINE.fullmatch(text, opening + 1, closing)
    if match is None or context.comments_between(opening, closing):
        return []
    head = text[context.text.line_start(context.text.line_of(opening)) : opening + 1]
    tail = text[closing : line_after(context, context.text.line_of(closing))].rstrip()
    if shown(head + match["given"] + tail) > context.options.width or "#" in tail:
        return []
    start, end = match.span("given")
    return [Edit(opening + 1, start, ""), Edit(end, closing, "")]
