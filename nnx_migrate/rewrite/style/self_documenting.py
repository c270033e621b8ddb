"""`f"{nnx.state(model) = }"` prints its own source text, which an edit in it must not change."""

from __future__ import annotations

import ast

from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.text.edits import Edit


def keep_printed_text(context: FileContext, node: ast.expr) -> list[Edit]:
    """Edits that write out the text that a self-documenting expression around `node` prints.

    The text goes in front of the braces as it stands, and the `=` that printed it goes.
    """
    edits: list[Edit] = []
    for parent in context.tree.ancestors(node):
        if isinstance(parent, ast.stmt):
            break
        if isinstance(parent, ast.FormattedValue):
            edits += _written_out(context, parent)
    return edits


def _written_out(context: FileContext, formatted: ast.FormattedValue) -> list[Edit]:
    text = context.text.text
    start, end = context.text.span(formatted.value)
    brace = len(text[:start].rstrip(" \t\n(")) - 1
    after = end + _leading(text[end:], " \t\n)")
    if text[brace] != "{" or text[after] != "=":
        return []
    behind = after + 1 + _leading(text[after + 1 :], " \t\n")
    printed = text[brace + 1 : behind].replace("{", "{{").replace("}", "}}")
    conversion = "!r" if text[behind] == "}" else ""
    closing = text[end:after].rstrip()
    return [Edit(brace, brace, printed), Edit(end, behind, closing + conversion)]


def _leading(text: str, characters: str) -> int:
    return len(text) - len(text.lstrip(characters))
