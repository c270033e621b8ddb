"""Pins of a project's own transforms: by the form for graph mode that it says they have."""

from __future__ import annotations

from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.rewrite.model.causes import PinCause
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import CannotEmit
from nnx_migrate.rewrite.style.options import option_edits
from nnx_migrate.rewrite.style.spelling import replaced_by
from nnx_migrate.rewrite.text.edits import Edit
from nnx_migrate.sources.own_transforms import OwnTransform

#: What `nnx.compat.X` gives the transform.
_GRAPH = {"graph": "True", "graph_updates": "True"}
_PARTIAL = "functools.partial"


def wrapper_edits(context: FileContext, site: Site, wrapper: OwnTransform) -> list[Edit]:
    """Edits that keep a site of a wrapper in graph mode.

    Raises:
        CannotEmit: no form of the wrapper for graph mode is known.
    """
    if wrapper.compat:
        return replaced_by(context, site.reference, wrapper.compat)
    keywords = {option: wrapper.keyword(option) for option in _GRAPH}
    if None in keywords.values():
        raise CannotEmit(PinCause.NO_GRAPH_FORM.about(wrapper=wrapper.name))
    if site.option_call is not None:
        return option_edits(context, site, dict(_GRAPH))
    # It may take no options without its function: functools.partial gives them in any case.
    start, end = context.text.span(site.reference)
    given = ", ".join(f"{keywords[option]}={text}" for option, text in _GRAPH.items())
    edits = replaced_by(context, site.reference, _PARTIAL)
    return [
        Edit(start, end, f"{edit.replacement}({context.text.of(site.reference)}, {given})")
        if (edit.start, edit.end) == (start, end)
        else edit
        for edit in edits
    ]
