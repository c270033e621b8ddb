"""A site as it is without what runs have shown, and what they have shown of its statement."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.rewrite.model.context import FileContext, remembered
from nnx_migrate.sources.facts.observed_facts import SeenPlace


def unobserved_site(context: FileContext, site: Site) -> tuple[FileContext, Site] | None:
    """The file and the site without what runs have shown.

    Args:
        context: the file, with what was observed, if anything was.
        site: a site of it.

    Returns:
        None where nothing was observed, or there is no such site then.
    """
    plain = context.unobserved
    same = None if plain is None else _sites(plain).get((site.node, site.transform))
    return None if plain is None or same is None else (plain, same)


def seen_place(context: FileContext, site: Site) -> SeenPlace | None:
    """What runs have shown of the statement that applies a transform; None where nobody looked.

    Args:
        context: the file, with what was observed, if anything was.
        site: a site of it.
    """
    observed = context.project.observed
    if observed is None or site.form == "decorator":
        return None
    return observed.place(context.tree.module, context.original_line(site.node.lineno))


@remembered
def _sites(plain: FileContext) -> Mapping[tuple[ast.AST, str], Site]:
    return {(each.node, each.transform): each for each in plain.finder.sites}
