"""A transform of jax becomes that of nnx, which keeps what the function does to an object."""

from __future__ import annotations

from collections.abc import Mapping

from nnx_migrate.analysis.flax.transforms import JAX_SITES, NNX_OF_JAX
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import CannotEmit
from nnx_migrate.rewrite.style.spelling import Spelling
from nnx_migrate.rewrite.text.edits import Edit

#: Options that mean the same to both; an object among the arguments changes nothing in them.
_OPTIONS: Mapping[str, frozenset[str]] = {
    "jit": frozenset({"static_argnums", "inline", "keep_unused"}),
    "vmap": frozenset({"in_axes", "out_axes", "axis_name", "axis_size"}),
    "make_jaxpr": frozenset({"static_argnums", "return_shape"}),
    "grad": frozenset({"argnums", "has_aux"}),
    "value_and_grad": frozenset({"argnums", "has_aux"}),
    "remat": frozenset({"static_argnums", "prevent_cse", "policy"}),
    "fori_loop": frozenset({"lower", "upper", "body_fun", "init_val", "unroll"}),
    "while_loop": frozenset({"cond_fun", "body_fun", "init_val"}),
}


def renamed(context: FileContext, site: Site) -> list[Edit]:
    """Edits that put the transform of nnx in the place of one of jax; none for one of nnx.

    Raises:
        CannotEmit: it has an option that is another one to nnx.
    """
    if site.transform not in JAX_SITES:
        return []
    name = NNX_OF_JAX.get(site.transform, site.transform.rpartition(".")[2])
    for option in sorted(site.options.keys() - _OPTIONS.get(name, frozenset())):
        raise CannotEmit(f"what the option {option} of {site.transform} is to nnx is not known")
    if name == "make_jaxpr":  # that of nnx raises in graph mode, and both leave the object as it is
        return []
    spelling = Spelling.at(context, site.reference)
    place = context.text.span(site.reference)
    return [*spelling.import_edits, Edit(*place, f"{spelling.nnx}.{name}")]
