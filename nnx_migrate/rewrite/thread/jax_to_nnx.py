"""A transform of jax becomes that of nnx, which keeps what the function does to an object."""

from __future__ import annotations

from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.rewrite.model.causes import ThreadCause
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import CannotEmit
from nnx_migrate.rewrite.style.spelling import Spelling
from nnx_migrate.rewrite.text.edits import Edit


def renamed(context: FileContext, site: Site) -> list[Edit]:
    """Edits that put the transform of nnx in the place of one of jax; none for one of nnx.

    Raises:
        CannotEmit: it has an option that is another one to nnx.
    """
    known = site.spec
    if not known.of_jax:
        return []
    for option in sorted(site.options.keys() - known.shared_options):
        raise CannotEmit(
            ThreadCause.OPTION_NOT_KNOWN.about(option=option, transform=site.transform)
        )
    if (
        known.inspects and known.twin
    ):  # nnx.make_jaxpr raises in graph mode, and both leave the object as it is
        return []
    spelling = Spelling.at(context, site.reference)
    place = context.text.span(site.reference)
    return [*spelling.import_edits, Edit(*place, f"{spelling.nnx}.{known.twin or known.becomes}")]
