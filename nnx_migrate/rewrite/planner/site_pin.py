"""How one site is pinned: by the pin that it had, or by a new one, around it or its function."""

from __future__ import annotations

import ast
import dataclasses
import functools
from collections.abc import Sequence

from nnx_migrate.analysis.effects.reachability import Reached
from nnx_migrate.analysis.flax.transforms import JAX_SITES, of_nnx
from nnx_migrate.analysis.sites.applied_values import applications
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.analysis.sites.tree import AnyFunction, FunctionNode
from nnx_migrate.core.findings import Evidence, Outcome
from nnx_migrate.core.place import Place
from nnx_migrate.core.refusal import Refusal
from nnx_migrate.rewrite.model.causes import PlanCause
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import Pin
from nnx_migrate.rewrite.model.functions import function_scopes
from nnx_migrate.rewrite.pinned.shapes import OldPin
from nnx_migrate.rewrite.planner.kept_places import comment_edits
from nnx_migrate.rewrite.planner.mid_mode import enough
from nnx_migrate.rewrite.planner.pin import mid_mode_edits, pin_edits
from nnx_migrate.rewrite.planner.regions import Region, covered_functions, region_around
from nnx_migrate.rewrite.text.edits import Edit

#: Transforms that trace nothing: what a function does to an object passes them as it is.
_NO_BOUNDARY = of_nnx(lambda t: t.binds or t.splits_rngs)


@dataclasses.dataclass(frozen=True, slots=True)
class SitePin:
    """The pin of a site.

    Args:
        edits: what to change.
        covers: graph mode is set for all that runs inside the function.
        restored: pins of earlier runs that are put back as they stood.
        mid_mode: why graph mode without its updates is enough; empty where it is not.
    """

    edits: list[Edit]
    covers: bool = False
    restored: frozenset[OldPin] = frozenset()
    mid_mode: tuple[Evidence, ...] = ()

    def told(self, context: FileContext) -> tuple[Outcome, PlanCause]:
        """How the site ends by that."""
        if {edit for pin in context.pins for edit in pin.undo or ()}.issuperset(self.edits):
            return Outcome.SAME, PlanCause.STILL_KEPT
        if self.mid_mode:
            return Outcome.PINNED_MID, PlanCause.KEPT_WITHOUT_UPDATES
        return Outcome.PINNED, PlanCause.KEPT


@dataclasses.dataclass(frozen=True)
class Extents:
    """Which functions run in a file what depends on the mode.

    Args:
        unsettled: the sites of the file that may depend on it, for all that the rules say.
        pins: why sites are pinned, those that are pinned in this round.
        regions: of those that are pinned already.
    """

    unsettled: frozenset[Site]
    pins: Sequence[tuple[Site, Sequence[Pin]]] = ()
    regions: Sequence[Region] = ()

    @functools.cached_property
    def bare(self) -> frozenset[Site]:
        """The calls that say their mode themselves once they are pinned."""
        return frozenset(
            site
            for site, pins in self.pins
            if site.form == "object" and all(pin.bare for pin in pins)
        )

    def need_setters(self, context: FileContext, site: Site, inner: Site | None = None) -> bool:
        """Whether graph mode has to be set for what runs inside the functions of a site.

        It has not where all that they reach is in sight, and depends on the mode nowhere.

        Args:
            inner: a site in these functions that is pinned where it stands.
        """
        if self._sets_below(context, site):
            return False
        scopes = function_scopes(context, site)
        if not scopes:
            return True
        for obstacle in context.analysis.extents.obstacles(scopes):
            sites = set(_sites_of(context, obstacle))
            if not sites or self.unsettled & sites - self.bare - {site, inner}:
                return True
        return False

    def _sets_below(self, context: FileContext, site: Site) -> bool:
        """Whether what a site transforms is another pinned site, which sets the mode inside."""
        below = _transformed(site)
        return below is not None and any(
            other.node is below and self._sets_inside(context, other, pins)
            for other, pins in self.pins
        )

    def _sets_inside(self, context: FileContext, site: Site, pins: Sequence[Pin]) -> bool:
        """Whether the pin of a site will set the mode around its function, if that reads it."""
        if site.form not in {"call", "decorator"} or site.wrapper is not None:
            return False
        if all(pin.bare for pin in pins) or _mid_mode(context, site, pins):
            return False
        if any(pin.outward for pin in pins) and _transforms_around(context, site):
            return False
        old = context.old_pin(site.reference)
        as_it_stood = old is not None and old.undo is not None and not old.pin.ours
        return not as_it_stood and not region_around(context, site, self.regions)


def _transformed(site: Site) -> ast.expr | None:
    """The expression that gives what a site transforms, if it is one of a single function."""
    if site.form == "call" and isinstance(site.function, ast.expr):
        return site.function
    if site.form == "decorator" and isinstance(site.function, FunctionNode):
        below = site.function.decorator_list
        return next(iter(below[below.index(site.node) + 1 :]), None)
    return None


def _sites_of(context: FileContext, obstacle: Refusal) -> list[Site]:
    """The sites of this file that a function reaches there."""
    if obstacle.cause is not Reached.DEPENDS or not isinstance(obstacle.place, Place):
        return []
    module, line = obstacle.place
    name = dict(obstacle.names)["function"]
    return [
        each
        for each in context.finder.sites
        if module == context.tree.module and each.node.lineno == line and each.transform == name
    ]


def plan_pin(context: FileContext, site: Site, pins: Sequence[Pin], extents: Extents) -> SitePin:
    """Plan the pin of a site.

    Args:
        pins: why it is pinned.
        extents: of the functions of the file.

    Raises:
        NotRewritten: it cannot be pinned.
    """
    mid = _mid_mode(context, site, pins)
    if mid:
        return SitePin(mid_mode_edits(context, site), mid_mode=mid)
    plan = _in_graph_mode(context, site, pins, extents)
    if not plan.covers:
        return plan
    return dataclasses.replace(plan, edits=[*plan.edits, *comment_edits(context, site, pins)])


def _mid_mode(context: FileContext, site: Site, pins: Sequence[Pin]) -> tuple[Evidence, ...]:
    """Why graph mode without its updates is enough; empty where it is not, or stands so."""
    if context.old_pin(site.reference) is not None or _transforms_around(context, site):
        return ()
    return enough(context, site, pins)


def _in_graph_mode(
    context: FileContext, site: Site, pins: Sequence[Pin], extents: Extents
) -> SitePin:
    """Pin a site where it stands, and its function where the mode is read inside."""
    if all(pin.bare for pin in pins):
        edits, old = _put_back(context, site, covers=False)
        return SitePin(edits, any(pin.ours for pin in old), old)
    outward = any(pin.outward for pin in pins)
    around = _transforms_around(context, site) if outward else []
    setting = [
        other
        for other in around
        if other.form != "reference" and extents.need_setters(context, other, site)
    ]
    covers = not setting and extents.need_setters(context, site)
    regions = [Region(other, covered_functions(context, other)) for other in setting]
    edits, old = list[Edit](), frozenset[OldPin]()
    if context.old_pin(site.reference) is not None or not region_around(context, site, regions):
        edits, old = _put_back(context, site, covers)
    covers = any(pin.ours for pin in old) if old else covers
    for other in around:
        pinned, also = _put_back(context, other, covers=other in setting)
        edits += [edit for edit in pinned if edit not in edits]
        old |= also
    return SitePin(edits, covers, old)


def _put_back(
    context: FileContext, site: Site, covers: bool
) -> tuple[list[Edit], frozenset[OldPin]]:
    """The pin that a site had as it stood, or a new one."""
    old = context.old_pin(site.reference)
    if old is not None and old.undo is not None:
        return list(old.undo), frozenset({old.pin})
    return pin_edits(context, site, covers), frozenset()


def _transforms_around(context: FileContext, site: Site) -> list[Site]:
    """Transforms of the functions that hold the site, innermost first."""
    holders: set[AnyFunction] = set()
    function = context.tree.function_around(site.node)
    while function is not None:
        holders.add(function)
        function = context.tree.function_around(function)
    scopes = {context.tree.scope_of(h) for h in holders}
    return [
        other
        for other in context.finder.sites
        if other.reference is not site.reference
        and not other.decided
        and other.transform not in _NO_BOUNDARY | JAX_SITES
        and any(
            applied.function in holders or scopes & set(function_scopes(context, applied))
            for applied in applications(context.finder, other) or (other,)
        )
    ]
