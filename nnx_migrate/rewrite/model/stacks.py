"""Transforms around one function: `@nnx.jit` over `@nnx.vmap`, `nnx.jit(nnx.vmap(f))`."""

from __future__ import annotations

import ast

from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.analysis.sites.tree import FunctionNode
from nnx_migrate.rewrite.model.context import FileContext


def stack_of(context: FileContext, site: Site) -> list[Site]:
    """A site with those that transform the same function around it and in it, outermost first.

    It stands alone where something else is between them.
    """
    if site.form == "decorator" and isinstance(site.function, FunctionNode):
        return _decorators(context, site, site.function)
    if site.form != "call":
        return [site]
    found = [site]
    while (outer := _around(context, found[0])) is not None:
        found.insert(0, outer)
    while (inner := _inside(context, found[-1])) is not None:
        found.append(inner)
    return found


def _decorators(context: FileContext, site: Site, definition: FunctionNode) -> list[Site]:
    if len(definition.decorator_list) == 1:
        return [site]
    sites = {each.node: each for each in context.finder.sites if each.function is definition}
    found = [sites[node] for node in definition.decorator_list if node in sites]
    return found if len(found) == len(definition.decorator_list) else [site]


def _around(context: FileContext, site: Site) -> Site | None:
    if not isinstance(context.tree.parents[site.node], ast.Call):
        return None
    for other in context.finder.sites:
        if other.form == "call" and other.function is site.node:
            return other
    return None


def _inside(context: FileContext, site: Site) -> Site | None:
    if not isinstance(site.function, ast.Call):
        return None
    for other in context.finder.sites:
        if other.form == "call" and other.node is site.function:
            return other
    return None
