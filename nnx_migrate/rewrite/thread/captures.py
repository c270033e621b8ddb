"""What a traced function captures is given to it, in the way that its transform has for that."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from nnx_migrate.analysis.flax.transforms import LOOPS, NNX_OF_JAX, SCANS
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.rewrite.loops.carry import carry_edits
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import CannotEmit, Capture
from nnx_migrate.rewrite.style.composing import composed
from nnx_migrate.rewrite.text.edits import Edit
from nnx_migrate.rewrite.thread.as_argument import pass_edits
from nnx_migrate.rewrite.thread.bound_methods import spelled_out
from nnx_migrate.rewrite.thread.callees import threaded
from nnx_migrate.rewrite.thread.eval_shape import ABSTRACT, abstract_edits, of_function
from nnx_migrate.rewrite.thread.jax_to_nnx import renamed
from nnx_migrate.rewrite.thread.lax_map import lax_map_edits
from nnx_migrate.rewrite.thread.lax_scan import lax_scan_edits
from nnx_migrate.rewrite.thread.scan_carry import scan_carry_edits


def closure_edits(context: FileContext, site: Site, captures: Sequence[Capture]) -> list[Edit]:
    """Edits that pass objects explicitly to the functions of a site that capture them.

    Raises:
        CannotEmit: the code around the site has no place for it.
    """
    called = of_function(context, site) if site.transform in ABSTRACT else None
    if site.transform in ABSTRACT and called is None:
        return abstract_edits(context, site)
    spelled = spelled_out(context, site) or threaded(context, site)
    if spelled is not None:
        edits = closure_edits(spelled.context, spelled.site, captures)
        return composed(spelled.edits, edits)
    if called is not None:
        return [*renamed(context, site), *pass_edits(context, called, captures)]
    if site.transform in NNX_OF_JAX:
        like = dataclasses.replace(site, transform=NNX_OF_JAX[site.transform])
        edits = [*renamed(context, site), *closure_edits(context, like, captures)]
        return list(dict.fromkeys(edits))
    if site.transform in LOOPS:
        return carry_edits(context, site, captures)
    carried = [capture for capture in captures if capture.updated]
    if site.transform not in SCANS:
        return pass_edits(context, site, captures)
    if carried and len(carried) < len(captures):
        raise CannotEmit("a part of what the scan captures is updated in it, and a part is not")
    if site.transform == "jax.lax.map":
        return lax_map_edits(context, site, captures, carried=bool(carried))
    if site.transform == "jax.lax.scan":
        return lax_scan_edits(context, site, captures, carried=bool(carried))
    if not carried:
        return pass_edits(context, site, captures)
    return scan_carry_edits(context, site, captures)
