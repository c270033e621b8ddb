"""The options of a call that keep it in graph mode, as a pin writes them."""

from __future__ import annotations

import ast

from nnx_migrate.rewrite.pinned.syntax import Syntax, is_constant
from nnx_migrate.rewrite.text.edits import Edit

GRAPH, UPDATES = "graph", "graph_updates"


def without_options(syntax: Syntax, call: ast.Call, *, transform: bool) -> tuple[Edit, ...]:
    """The edits that take out the options of a pin; none where they are not as a pin has them.

    Args:
        transform: it takes `graph_updates=` too, and a pin of it says both.
    """
    said = {k.arg: k for k in call.keywords if k.arg in {GRAPH, UPDATES}}
    if set(said) != ({GRAPH, UPDATES} if transform else {GRAPH}):
        return ()
    if not is_constant(said[GRAPH].value, True):
        return ()
    if transform and not isinstance(said[UPDATES].value, ast.Constant):
        return ()
    places = sorted(call.keywords.index(keyword) for keyword in said.values())
    if places != list(range(places[0], places[0] + len(places))):
        return ()
    first, last = (call.keywords[at] for at in (places[0], places[-1]))
    start, end = syntax.text.span(first)[0], syntax.text.span(last)[1]
    before: list[ast.expr | ast.keyword] = [*call.args, *call.keywords[: places[0]]]
    behind = call.keywords[places[-1] + 1 :]
    if before:
        start = syntax.text.span(before[-1])[1]
        # The bracket that closes around an argument belongs to that.
        start = syntax.text.text.rindex(",", start, syntax.text.span(first)[0])
    elif behind:
        end = syntax.text.span(behind[0])[0]
    edit = syntax.without(start, end)
    return () if edit is None else (edit,)
