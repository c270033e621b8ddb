"""What a function captures becomes a keyword of it, where it has defaults or the like."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from nnx_migrate.rewrite.model.causes import ThreadCause
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import CannotEmit, Capture
from nnx_migrate.rewrite.text.edits import Edit
from nnx_migrate.rewrite.thread.as_argument import argument, new_names


def takes_keywords(definition: ast.FunctionDef) -> bool:
    """Whether a parameter behind the last one would not be the last argument of every call."""
    args = definition.args
    return bool(args.defaults or args.vararg or args.kwonlyargs or args.kwarg)


def keyword_parameters(
    context: FileContext, definition: ast.FunctionDef, captures: Sequence[Capture]
) -> Edit:
    """New parameters that are passed by keyword alone.

    Raises:
        CannotEmit: there is no place for them.
    """
    args = definition.args
    more = ", ".join(new_names(context, definition, captures))
    last: ast.arg | ast.expr | None
    if args.kwonlyargs:
        last = args.kw_defaults[-1] or args.kwonlyargs[-1]
        more = f", {more}"
    elif args.vararg:
        last = args.vararg
        more = f", {more}"
    else:
        positional = [*args.posonlyargs, *args.args]
        last = args.defaults[-1] if args.defaults else positional[-1] if positional else None
        more = f", *, {more}"
    if last is None or context.text.text[: context.text.span(last)[0]].rstrip().endswith("("):
        if isinstance(last, ast.arg):
            return _behind(context, last, more)
        raise CannotEmit(ThreadCause.NO_PLACE_FOR_PARAMETER)
    return _behind(context, last, more)


def _behind(context: FileContext, last: ast.arg | ast.expr, more: str) -> Edit:
    end = context.text.span(last)[1]
    return Edit(end, end, more)


def passed_by_keyword(context: FileContext, use: ast.Call, captures: Sequence[Capture]) -> Edit:
    """The objects as keywords of a call.

    Raises:
        CannotEmit: the call may have such keywords already.
    """
    names = [capture.name for capture in captures]
    if any(keyword.arg is None or keyword.arg in names for keyword in use.keywords):
        raise CannotEmit(ThreadCause.KEYWORDS_FROM_MAPPING)
    return argument(context, use, [f"{name}={name}" for name in names])
