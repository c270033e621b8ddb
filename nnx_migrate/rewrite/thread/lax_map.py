"""`jax.lax.map(f, xs)` over a captured object becomes an `nnx.scan` that is given it."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.analysis.sites.tree import AnyFunction
from nnx_migrate.rewrite.model.causes import ThreadCause
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import CannotEmit, Capture
from nnx_migrate.rewrite.model.functions import definition_of
from nnx_migrate.rewrite.model.ownership import is_given
from nnx_migrate.rewrite.split.nested import own_returns
from nnx_migrate.rewrite.style.spelling import Spelling
from nnx_migrate.rewrite.style.tuple_display import is_parenthesized
from nnx_migrate.rewrite.text.edits import Edit
from nnx_migrate.rewrite.thread.as_argument import parameter_edits


def lax_map_edits(
    context: FileContext, site: Site, captures: Sequence[Capture], *, carried: bool
) -> list[Edit]:
    """Edits that make a map of jax a scan of nnx, which has no other carry than the object.

    Args:
        carried: the object is carried; otherwise it is broadcast.

    Raises:
        CannotEmit: the call or the function is not written in a way that can be changed.
    """
    call = site.node
    assert isinstance(call, ast.Call)
    if call.keywords or len(call.args) != 2 or isinstance(call.args[1], ast.Starred):
        raise CannotEmit(ThreadCause.MAP_ARGUMENTS)
    function, xs = call.args
    definition = definition_of(context, function)
    if definition is None or not is_given(context, site, definition):
        raise CannotEmit(ThreadCause.USED_ELSEWHERE)
    if carried and len(captures) > 1:
        raise CannotEmit(ThreadCause.MAP_OF_SEVERAL)
    between = context.text.text[context.text.span(function)[1] : context.text.span(xs)[0]]
    if between.strip() != ",":
        raise CannotEmit(ThreadCause.MAP_HAS_COMMENTS)
    spelling = Spelling.at(context, site.reference)
    names = ", ".join(capture.name for capture in captures)
    axes = f"(0, {', '.join([f'{spelling.nnx}.Carry' if carried else 'None'] * len(captures))})"
    edits = [*spelling.import_edits, *parameter_edits(context, definition, captures)]
    if carried:
        edits += _returned(context, definition, names)
    start, end = context.text.span(function)[1], context.text.span(xs)[1]
    close = context.text.span(call)[1]
    return [
        *edits,
        Edit(*context.text.span(site.reference), f"{spelling.nnx}.{site.spec.becomes}"),
        Edit(
            start,
            context.text.span(xs)[0],
            f", in_axes={axes}, out_axes={axes if carried else '0'})(",
        ),
        Edit(end, end, f", {names}"),
        *([Edit(close, close, "[0]")] if carried else []),
    ]


def _returned(context: FileContext, definition: AnyFunction, name: str) -> list[Edit]:
    """The object comes out behind each result."""
    if isinstance(definition, ast.Lambda):
        start, end = context.text.span(definition.body)
        return [Edit(start, start, "("), Edit(end, end, f", {name})")]
    assert isinstance(definition, ast.FunctionDef)
    found = own_returns(definition)
    if not found or not isinstance(definition.body[-1], ast.Return):
        raise CannotEmit(ThreadCause.NOT_ALL_RETURN)
    edits: list[Edit] = []
    for node in found:
        if node.value is None:
            raise CannotEmit(ThreadCause.NOT_ALL_RETURN)
        start, end = context.text.span(node.value)
        bare = isinstance(node.value, ast.Tuple) and not is_parenthesized(
            context.text.readable[start:end]
        )
        stop = context.text.span(node)[1]
        edits += [Edit(start, start, "(")] if bare else []
        edits.append(Edit(stop, stop, f"), {name}" if bare else f", {name}"))
        if bare and stop != end:
            raise CannotEmit(ThreadCause.RESULT_IN_PARENTHESES)
    return edits
