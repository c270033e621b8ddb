"""Options of transforms under which what a function sows can be a result of it."""

from __future__ import annotations

import ast
import dataclasses
import re
from collections.abc import Mapping

from nnx_codemods._axes.prefix import read_axes
from nnx_codemods._sown.refusal import NotCaptured, SownCause
from nnx_migrate.analysis.flax.transforms import of_nnx
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.rewrite.model.context import FileContext

#: Transforms that give back what their function returns, with no more than a new axis in front.
GIVING_BACK = of_nnx(lambda t: t.gives_back)
#: A type, or a tuple of them.
_PLAIN_FILTER = re.compile(r"\(?[\w.,\s]+\)?")


@dataclasses.dataclass(frozen=True, slots=True)
class Output:
    """How a State becomes an output of a transform.

    Args:
        by_axes: StateAxes give the axes of the object by kinds of Variables.
        in_pair: it joins the second one of a pair that the function returns.
        options: new source text of options.
    """

    by_axes: bool = False
    in_pair: bool = False
    options: Mapping[str, str] = dataclasses.field(default_factory=dict)


def check_options(context: FileContext, site: Site, place: int = 0) -> Output:
    """The State is an output like the others, at axis 0 under vmap and scan, as in graph mode.

    Args:
        place: that of the object among the arguments.

    Raises:
        NotCaptured: it is not.
    """
    if site.spec.differentiates:
        _check_gradient(site)
        in_pair = "has_aux" in site.options
        return Output(in_pair=in_pair, options={} if in_pair else {"has_aux": "True"})
    if not site.complete or site.options.keys() - site.spec.plain_options:
        raise NotCaptured(SownCause.OTHER_OPTIONS_THAN_AXES.about(transform=site.written))
    if not site.spec.maps_axes:
        return Output()
    by_axes = _check_axis(context, site, place)
    out = site.options.get("out_axes")
    if _is_zero(out) or (out is None and not site.spec.carries):
        return Output(by_axes)
    if site.spec.carries and out is not None and _is_carry(context, out):
        return Output(by_axes, options={"out_axes": f"({context.text.of(out)}, 0)"})
    match out:
        case None if site.spec.carries:
            return Output(by_axes, in_pair=True)
        case ast.Tuple(elts=[carry, ys]) if _is_carry(context, carry) and _is_zero(ys):
            return Output(by_axes, in_pair=True)
        case _:
            raise NotCaptured(SownCause.AXES_NOT_ZERO)


def _check_axis(context: FileContext, site: Site, place: int) -> bool:
    """What is sown has axis 0; whether StateAxes say so."""
    option = site.options.get("in_axes")
    axes = read_axes(context, option, "StateAxes")
    groups = axes.elements[place].groups if place < len(axes.elements) else ()
    if groups and not axes.unknown:
        sown = [g for g in groups if "Intermediate" in g.filter or g.filter == "..."]
        plain = all(g.filter == "..." or _PLAIN_FILTER.fullmatch(g.filter) for g in groups)
        if not plain or not sown or sown[0].axis != "0":
            raise NotCaptured(SownCause.SOWN_AXIS_NOT_ZERO)
        return True
    if isinstance(option, ast.Tuple):
        mapped = place < len(option.elts) and _is_zero(option.elts[place])
    else:
        default = 1 if site.spec.carries else place
        mapped = _is_zero(option) or (option is None and place == default)
    if not mapped:
        raise NotCaptured(SownCause.AXES_NOT_ZERO)
    return False


def _is_zero(axis: ast.expr | None) -> bool:
    return isinstance(axis, ast.Constant) and axis.value == 0 and axis.value is not False


def _is_carry(context: FileContext, axis: ast.expr) -> bool:
    return context.tree.nnx_name(axis) == "Carry"


def _check_gradient(site: Site) -> None:
    aux = site.options.get("has_aux")
    if site.form != "call" or not site.complete:
        raise NotCaptured(SownCause.GRADIENT_NOT_WRITTEN)
    if aux is not None and not (isinstance(aux, ast.Constant) and aux.value is True):
        raise NotCaptured(SownCause.AUX_NOT_WRITTEN)
