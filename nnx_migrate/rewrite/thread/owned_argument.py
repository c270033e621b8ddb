"""A function reads from one argument what it was given as another one before."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from nnx_migrate.rewrite.model.causes import ThreadCause
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import CannotEmit, OwnedArgument
from nnx_migrate.rewrite.style.layout import docstring_of, insert_at_top
from nnx_migrate.rewrite.text.documented_parameters import without_parameter
from nnx_migrate.rewrite.text.edits import Edit

_Item = ast.arg | ast.expr | ast.keyword


def owned_argument_edits(context: FileContext, plan: OwnedArgument) -> list[Edit]:
    """The edits in the function, and at each call of it.

    Raises:
        CannotEmit: a comment stands beside what is taken out.
    """
    function = plan.function
    (parameter,) = (arg for arg in function.args.args if arg.arg == plan.parameter)
    arguments = [*function.args.args, *function.args.kwonlyargs]
    annotation = f": {context.text.of(parameter.annotation)}" if parameter.annotation else ""
    lines = [f"{plan.parameter}{annotation} = {plan.source}"]
    edits = [_without(context, arguments, parameter), insert_at_top(context, function, lines)]
    if (docstring := docstring_of(function)) is not None and docstring.end_lineno is not None:
        span = docstring.lineno, docstring.end_lineno
        edits += without_parameter(context.text, *span, plan.parameter)
    for call, value in zip(plan.calls, plan.dropped, strict=True):
        given: list[ast.expr | ast.keyword] = [*call.args, *call.keywords]
        (dropped,) = (each for each in given if value in (each, getattr(each, "value", None)))
        edits.append(_without(context, given, dropped))
    return edits


def _without(context: FileContext, items: Sequence[_Item], item: _Item) -> Edit:
    """Take one of several items out, with the comma behind it, or the one before the last."""
    spans = sorted(context.text.span(each) for each in items)
    place = spans.index(context.text.span(item))
    if place + 1 < len(spans):
        start, end = spans[place][0], spans[place + 1][0]
    else:
        start, end = spans[place - 1][1], spans[place][1]
    between = context.text.text[start:end].replace(context.text.of(item), "", 1)
    if set(between) - set(", \t\r\n"):
        raise CannotEmit(ThreadCause.ARGUMENT_HAS_COMMENT)
    return Edit(start, end, "")
