"""`jax.lax.scan(f, init, xs)` over a captured object becomes an `nnx.scan` that is given it."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Sequence

from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.rewrite.loops.carry_layout import loop_function
from nnx_migrate.rewrite.model.causes import ThreadCause
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import CannotEmit, Capture
from nnx_migrate.rewrite.model.functions import definition_of
from nnx_migrate.rewrite.model.ownership import is_given
from nnx_migrate.rewrite.style.spelling import Spelling
from nnx_migrate.rewrite.text.edits import Edit
from nnx_migrate.rewrite.thread.as_argument import parameter_edits
from nnx_migrate.rewrite.thread.scan_carry import ScanForm, body_and_calls

#: Options that both scans have.
_OPTIONS = ("length", "reverse", "unroll")
_FORM = ScanForm(argument=1, result=0, results=2)


def lax_scan_edits(
    context: FileContext, site: Site, captures: Sequence[Capture], *, carried: bool
) -> list[Edit]:
    """Edits that make a scan of jax one of nnx.

    Args:
        carried: the objects become part of the carry; otherwise they are broadcast.

    Raises:
        CannotEmit: the call or the body is not written in a way that can be changed.
    """
    call = site.node
    assert isinstance(call, ast.Call)
    function, initial, xs = _arguments(call)
    definition = definition_of(context, function)
    if not isinstance(definition, ast.FunctionDef) or not is_given(context, site, definition):
        raise CannotEmit(ThreadCause.SCAN_BODY_IN_PLACE)
    spelling = Spelling.at(context, site.reference)
    names = [capture.name for capture in captures]
    options = [context.text.of(k) for k in call.keywords if k.arg in _OPTIONS]
    behind = ""
    if carried:
        ways = [name for capture in captures for name, _ in capture.ways()]
        body = loop_function(context, definition, 0, ways, 2)
        edits = body_and_calls(context, body, definition, [call], captures, _FORM)
    else:
        edits = parameter_edits(context, definition, captures)
        entries = ", ".join([f"{spelling.nnx}.Carry", "0", *["None"] * len(names)])
        options.append(f"in_axes=({entries})")
        behind = "".join(f", {name}" for name in names)
    given = context.text.of(xs) if xs is not None else "None"
    start, close = context.text.span(function)[1], context.text.span(call)[1] - 1
    first = context.text.span(initial)
    _check_gaps(context, call, [function, initial, *([xs] if xs in call.args else [])])
    return [
        *spelling.import_edits,
        *edits,
        Edit(*context.text.span(site.reference), f"{spelling.nnx}.{site.spec.becomes}"),
        Edit(start, first[0], "".join(f", {option}" for option in options) + ")("),
        Edit(first[1], close, f", {given}{behind}"),
    ]


def _arguments(call: ast.Call) -> tuple[ast.expr, ast.expr, ast.expr | None]:
    keywords = {keyword.arg: keyword.value for keyword in call.keywords}
    if keywords.keys() - {"xs", *_OPTIONS} or not 2 <= len(call.args) <= 3:
        raise CannotEmit(ThreadCause.SCAN_ARGUMENTS)
    if any(isinstance(argument, ast.Starred) for argument in call.args):
        raise CannotEmit(ThreadCause.SCAN_FROM_SEQUENCE)
    function, initial, *rest = call.args
    return function, initial, rest[0] if rest else keywords.get("xs")


def _check_gaps(context: FileContext, call: ast.Call, arguments: Sequence[ast.expr]) -> None:
    """Nothing but commas may stand between what is kept; comments would be lost."""
    start = context.text.span(arguments[0])[1]
    close = context.text.span(call)[1]
    if context.comments_between(start, close):
        raise CannotEmit(ThreadCause.SCAN_HAS_COMMENTS)
    for one, other in itertools.pairwise(arguments):
        between = context.text.text[context.text.span(one)[1] : context.text.span(other)[0]]
        if between.strip() != ",":
            raise CannotEmit(ThreadCause.SCAN_PARENTHESES)
