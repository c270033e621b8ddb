"""State that a scan broadcasts and its body updates: `None` in the `in_axes` of `nnx.scan`.

What it finds
-------------
`nnx.scan` with axis None for one of these arguments:

- a Module, Rngs, Optimizer, or Metric that holds more than Params, unless the body only reads
  values of its Variables
- one of Params alone, or a Variable, that the body writes to
- a State that the body merges
- an argument of an unknown kind that the body calls

Why it matters
--------------
Graph mode starts every iteration with the object as it was and discards what the body does to it:
the same dropout mask in every step, no counter counts. Tree mode silently carries the updates from
step to step (docs/semantics.md: SCN-1).

Before
------
    @nnx.scan(in_axes=(None, 0), out_axes=0)
    def body(dropout, x):
        return dropout(x)

After
-----
    @nnx.scan(in_axes=(None, 0), out_axes=0)
    def body(dropout, x):
        dropout = nnx.clone(dropout)  # each iteration updates its own copy
        return dropout(x)

When it is safe
---------------
Always: in both modes the body works on a copy, and the results are those of graph mode today. If
the updates were meant to be kept, that is a bug today; then carry the object instead.

What it does otherwise
----------------------
Where the function cannot be edited (others use it too), or is not known, `nnx.compat.scan`.

Reference: https://flax.readthedocs.io/en/latest/flip/5310-tree-mode-nnx.html
"""

from __future__ import annotations

import ast
import enum

from nnx_codemods._axes.prefix import is_declared_int
from nnx_codemods._captures.variable_writes import may_update
from nnx_codemods._claims import RuleClaim
from nnx_codemods._evidence import updated_broadcast
from nnx_codemods._next_steps import NextStep
from nnx_migrate.analysis.domain.values import Instance, is_unknown
from nnx_migrate.analysis.flax.transforms import of_nnx
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.core.findings import Evidence, Proof
from nnx_migrate.core.refusal import Cause
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import (
    Clones,
    Contribution,
    Decision,
    Pin,
)
from nnx_migrate.rewrite.model.functions import argument_values, function_scopes, parameter_at
from nnx_migrate.rewrite.model.rule import Rule
from nnx_migrate.rewrite.split.copies import works_on_copy


@enum.unique
class BroadcastCause(Cause):
    """How state that a scan broadcasts ends."""

    AXIS_HIDDEN = (
        "the code does not show whether argument {index} is broadcast",
        NextStep.WRITE_AXES,
    )
    EFFECT_HIDDEN = (
        "cannot tell what the scan does to argument {index}, which it broadcasts",
        NextStep.NAME_FUNCTION,
    )
    WORKS_ON_COPY = (
        "the body works on a copy, because a scan discards updates of broadcast objects today; "
        "to keep the updates, carry the object instead"
    )


def decide(context: FileContext, site: Site) -> Decision | None:
    if site.form == "reference" or "in_axes" not in site.options:
        return None
    scopes = function_scopes(context, site)
    broadcast = _broadcast_places(context, site)
    if broadcast and not scopes:
        return _unknown_function(context, site, broadcast)
    places = tuple(place for place in broadcast if _is_updated(context, site, place))
    unread = [place for place in _unread_places(context, site) if _is_updated(context, site, place)]
    if unread:
        return Pin(RULE.name, BroadcastCause.AXIS_HIDDEN.about(index=unread[0]))
    if not places:
        return None
    evidence = Evidence(
        str(RuleClaim.COPY_IN_BODY),
        Proof.PROVED,
    )
    return Contribution(
        RULE.name,
        BroadcastCause.WORKS_ON_COPY,
        (evidence,),
        Clones(places),
    )


def _is_updated(context: FileContext, site: Site, place: int) -> bool:
    return any(
        not works_on_copy(context, site, name)
        and may_update(context, scope, name, argument_values(context, site, place))
        for scope in function_scopes(context, site)
        if (name := parameter_at(context, site, scope, place)) is not None
    )


def _broadcast_places(context: FileContext, site: Site) -> list[int]:
    """Places of the arguments that are broadcast, or parts of them."""
    axes = _followed(context, site.options["in_axes"])
    if isinstance(axes, ast.Tuple):
        elements = [_followed(context, axis) for axis in axes.elts]
        return [place for place, axis in enumerate(elements) if _has_none(axis)]
    return _all_places(context, site) if _has_none(axes) else []


def _unread_places(context: FileContext, site: Site) -> list[int]:
    """Places of the arguments whose axes may be None as far as one can see."""
    axes = _followed(context, site.options["in_axes"])
    if isinstance(axes, ast.Tuple):
        elements = [_followed(context, axis) for axis in axes.elts]
        return [place for place, axis in enumerate(elements) if not _is_read(context, axis)]
    return [] if _is_read(context, axes) else _all_places(context, site)


def _all_places(context: FileContext, site: Site) -> list[int]:
    sizes = [len(context.project.function(s).parameters) for s in function_scopes(context, site)]
    return list(range(max(sizes, default=1)))


def _followed(context: FileContext, node: ast.expr) -> ast.expr:
    """What a name stands for that is bound once."""
    if isinstance(node, ast.Name):
        found = context.tree.assigned_value(context.tree.scope(node), node.id)
        return found[0] if found is not None else node
    return node


def _is_read(context: FileContext, axis: ast.expr) -> bool:
    """Whether an axis is written out; prefix filters are the business of other rules."""
    if isinstance(axis, ast.Tuple | ast.List):
        return all(_is_read(context, element) for element in axis.elts)
    if isinstance(axis, ast.Constant | ast.UnaryOp | ast.Dict):
        return True
    if context.tree.nnx_name(axis) == "Carry" or is_declared_int(context, axis):
        return True
    values = context.values(axis)
    return bool(values) and all(isinstance(value, Instance) for value in values)


def _unknown_function(context: FileContext, site: Site, places: list[int]) -> Decision | None:
    for place in places:
        values = argument_values(context, site, place)
        if is_unknown(values) or updated_broadcast(context, site, place):
            return Pin(RULE.name, BroadcastCause.EFFECT_HIDDEN.about(index=place))
    return None


def _has_none(axis: ast.expr) -> bool:
    """Whether an axis is None, or a tuple or the like with None in it."""
    if isinstance(axis, ast.Constant):
        return axis.value is None
    if isinstance(axis, ast.Tuple | ast.List):
        return any(_has_none(element) for element in axis.elts)
    return isinstance(axis, ast.Dict) and any(_has_none(value) for value in axis.values)


RULE = Rule(
    "broadcast-state",
    of_nnx(lambda t: t.maps_axes and t.carries),
    decide,
    way_out="let the scan carry the object (nnx.Carry), or return the updated values",
)
