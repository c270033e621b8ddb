"""Options of transforms under which what a function sows can be a result of it."""

from __future__ import annotations

import ast
import re

from codemods._forward import NotCaptured
from codemods._gradients import GRADIENTS
from codemods._prefix import Group, read_axes
from nnx_migrate.facts.sites import Site
from nnx_migrate.rewrite.context import FileContext

#: Transforms that give back what their function returns, with no more than a new axis in front.
GIVING_BACK = frozenset({"jit", "vmap", "remat", "checkpoint"})
#: A type, or a tuple of them.
_PLAIN_FILTER = re.compile(r"\(?[\w.,\s]+\)?")


def check_options(context: FileContext, site: Site) -> None:
    """The State is an output like the others, at axis 0 under vmap, where graph mode has it."""
    if site.transform in GRADIENTS:
        _check_gradient(site)
        return
    axes = {"in_axes", "out_axes"} if site.transform == "vmap" else set()
    if not site.complete or site.options.keys() - axes:
        raise NotCaptured(f"nnx.{site.transform} has other options than axes")
    first = site.options.get("in_axes")
    if isinstance(first, ast.Tuple) and first.elts:
        first = first.elts[0]
    groups = first_axes(context, site)
    if groups:
        first = None
        sown = [g for g in groups if "Intermediate" in g.filter or g.filter == "..."]
        plain = all(g.filter == "..." or _PLAIN_FILTER.fullmatch(g.filter) for g in groups)
        if not plain or not sown or sown[0].axis != "0":
            raise NotCaptured("the axis of what is sown is not 0")
    for axis in (first, site.options.get("out_axes")):
        if axis is not None and not (isinstance(axis, ast.Constant) and axis.value == 0):
            raise NotCaptured("the axes are not 0")


def first_axes(context: FileContext, site: Site) -> tuple[Group, ...]:
    """The groups that StateAxes make of the first argument of a vmap."""
    if site.transform != "vmap":
        return ()
    axes = read_axes(context, site.options.get("in_axes"), "StateAxes")
    return axes.elements[0].groups if axes.elements and not axes.unknown else ()


def _check_gradient(site: Site) -> None:
    aux = site.options.get("has_aux")
    if site.form != "call" or not site.complete:
        raise NotCaptured("the gradient is not taken by a call with its options written out")
    if aux is not None and not (isinstance(aux, ast.Constant) and aux.value is True):
        raise NotCaptured("whether it has an auxiliary output is not written out")
