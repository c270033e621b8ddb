"""What a traced function captures is given to it, in the way that its transform has for that."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.rewrite.loops.carry import carry_edits
from nnx_migrate.rewrite.model.causes import ThreadCause
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import CannotEmit, Capture
from nnx_migrate.rewrite.style.composing import composed
from nnx_migrate.rewrite.text.edits import Edit
from nnx_migrate.rewrite.thread.as_argument import pass_edits
from nnx_migrate.rewrite.thread.bound_methods import spelled_out
from nnx_migrate.rewrite.thread.callees import threaded
from nnx_migrate.rewrite.thread.eval_shape import abstract_edits, is_abstract, of_function
from nnx_migrate.rewrite.thread.jax_to_nnx import renamed
from nnx_migrate.rewrite.thread.lax_map import lax_map_edits
from nnx_migrate.rewrite.thread.lax_scan import lax_scan_edits
from nnx_migrate.rewrite.thread.scan_carry import scan_carry_edits


def closure_edits(context: FileContext, site: Site, captures: Sequence[Capture]) -> list[Edit]:
    """Edits that pass objects explicitly to the functions of a site that capture them.

    Raises:
        CannotEmit: the code around the site has no place for it.
    """
    called = of_function(context, site) if is_abstract(site) else None
    if is_abstract(site) and called is None:
        return abstract_edits(context, site)
    spelled = spelled_out(context, site) or threaded(context, site)
    if spelled is not None:
        edits = closure_edits(spelled.context, spelled.site, captures)
        return composed(spelled.edits, edits)
    if called is not None:
        return [*renamed(context, site), *pass_edits(context, called, captures)]
    if site.spec.twin:
        like = dataclasses.replace(site, transform=site.spec.twin)
        edits = [*renamed(context, site), *closure_edits(context, like, captures)]
        return list(dict.fromkeys(edits))
    if site.spec.is_loop:
        return carry_edits(context, site, captures)
    carried = [capture for capture in captures if capture.updated]
    if not site.spec.iterates:
        return pass_edits(context, site, captures)
    if carried and len(carried) < len(captures):
        raise CannotEmit(ThreadCause.PARTLY_UPDATED)
    if not site.spec.carries:
        return lax_map_edits(context, site, captures, carried=bool(carried))
    if site.spec.calls_at_once:
        return lax_scan_edits(context, site, captures, carried=bool(carried))
    if not carried:
        return pass_edits(context, site, captures)
    return scan_carry_edits(context, site, captures)
