"""`nnx.transform_metadata` directly around the function that a transform takes."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from nnx_migrate.facts.sites import Site
from nnx_migrate.rewrite.context import FileContext
from nnx_migrate.rewrite.edits import Edit
from nnx_migrate.rewrite.layout import line_after
from nnx_migrate.rewrite.outlined import metadata_decorator
from nnx_migrate.rewrite.plan import CannotEmit, Metadata


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
    decorator = metadata_decorator(metadata, options, nnx)
    if site.form == "decorator":
        assert site.node.end_lineno is not None
        place = line_after(context, site.node.end_lineno)
        indent = context.text.indent_of_line(site.node.lineno) + extra_indent
        return [Edit(place, place, f"{indent}{decorator}{context.newline}")]
    function = site.function
    if not isinstance(function, ast.expr):
        raise CannotEmit("the function of the transform is not to be seen")
    start, end = context.text.span(function)
    head, _, arguments = decorator.removeprefix("@").partition("(")
    return [Edit(start, start, f"{head}("), Edit(end, end, f", {arguments}")]
