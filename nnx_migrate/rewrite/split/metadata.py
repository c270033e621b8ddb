"""`nnx.transform_metadata` directly around the function that a transform takes."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from nnx_migrate.analysis.flax.transforms import METADATA_OPTION
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.rewrite.model.causes import SplitCause
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import CannotEmit, Metadata
from nnx_migrate.rewrite.split.outlined import metadata_arguments, metadata_decorator
from nnx_migrate.rewrite.style.layout import fits, line_after
from nnx_migrate.rewrite.text.edits import Edit


def metadata_edits(
    context: FileContext,
    site: Site,
    metadata: Metadata,
    options: Mapping[str, str | None],
    nnx: str,
    extra_indent: str = "",
) -> list[Edit]:
    """Put the metadata transform between the transform and its function.

    Args:
        options: new values of the transform's options; the axes must be the same in both.
        extra_indent: put before the line of a decorator that another edit moves inwards.
    """
    if site.form == "decorator":
        assert site.node.end_lineno is not None
        decorator = metadata_decorator(metadata, options, nnx)
        place = line_after(context, site.node.end_lineno)
        indent = context.text.indent_of_line(site.node.lineno) + extra_indent
        return [Edit(place, place, f"{indent}{decorator}{context.newline}")]
    function = site.function
    if not isinstance(function, ast.expr):
        raise CannotEmit(SplitCause.FUNCTION_NOT_SEEN)
    return _around(
        context, function, f"{nnx}.{METADATA_OPTION}", metadata_arguments(metadata, options)
    )


def _around(
    context: FileContext, function: ast.expr, transform: str, arguments: Sequence[str]
) -> list[Edit]:
    """A call with the function in it; on lines of its own where the function has a long one."""
    start, end = context.text.span(function)
    whole = f"{transform}({context.text.of(function)}, {', '.join(arguments)})"
    line = context.text.line_of(start)
    alone = not context.text.text[context.text.line_start(line) : start].strip()
    if not alone or "\n" in whole or fits(context, (start, end), whole):
        return [Edit(start, start, f"{transform}("), Edit(end, end, f", {', '.join(arguments)})")]
    outer = context.newline + context.text.indent_of_line(line)
    inner = outer + context.continuation_unit
    rest = "".join(f",{inner}{argument}" for argument in arguments)
    return [Edit(start, start, f"{transform}({inner}"), Edit(end, end, f"{rest},{outer})")]
