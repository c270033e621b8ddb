"""A site as it is without what runs have shown."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.rewrite.model.context import FileContext, remembered


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


@remembered
def _sites(plain: FileContext) -> Mapping[tuple[ast.AST, str], Site]:
    return {(each.node, each.transform): each for each in plain.finder.sites}
