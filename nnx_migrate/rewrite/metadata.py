"""`nnx.transform_metadata` directly around the function that a transform takes."""

from __future__ import annotations

import ast

from nnx_migrate.facts.sites import Site
from nnx_migrate.rewrite.context import FileContext
from nnx_migrate.rewrite.edits import Edit
from nnx_migrate.rewrite.layout import line_after
from nnx_migrate.rewrite.plan import CannotEmit, Metadata


def metadata_edits(context: FileContext, site: Site, metadata: Metadata, nnx: str) -> list[Edit]:
    """Put the metadata transform between the transform and its function."""
    axes = "".join(f"{name}={text}, " for name, text in metadata.axes.items())
    if site.form == "decorator":
        assert site.node.end_lineno is not None
        place = line_after(context, site.node.end_lineno)
        indent = context.text.indent_of_line(site.node.lineno)
        line = f"{indent}@{nnx}.transform_metadata({axes}partition={metadata.partition})"
        return [Edit(place, place, line + context.newline)]
    function = site.function
    if not isinstance(function, ast.expr):
        raise CannotEmit("the function of the transform is not to be seen")
    start, end = context.text.span(function)
    tail = f", {axes}partition={metadata.partition})"
    return [Edit(start, start, f"{nnx}.transform_metadata("), Edit(end, end, tail)]
