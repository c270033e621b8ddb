"""Names for new axes: the `transform_metadata=` of `vmap`, `pmap` and `scan`.

What it finds
-------------
`transform_metadata={nnx.PARTITION_NAME: name}` on `nnx.vmap`, `nnx.pmap` and `nnx.scan`.

Why it matters
--------------
Tree mode silently ignores the argument: the sharding metadata of the Variables lacks the name
of the new axis (docs/semantics.md: VMP-2, SCN-6).

Before
------
    @nnx.split_rngs(splits=3)
    @nnx.vmap(in_axes=0, out_axes=0, transform_metadata={nnx.PARTITION_NAME: "layers"})
    def create(rngs):
        return Block(rngs)

After
-----
    @nnx.split_rngs(splits=3)
    @nnx.vmap(in_axes=0, out_axes=0)
    @nnx.transform_metadata(in_axes=0, out_axes=0, partition="layers")
    def create(rngs):
        return Block(rngs)

When it is safe
---------------
The dictionary is written out and names only the partition; the axes are those of the transform,
word for word. `nnx.transform_metadata` keeps updates of Variables and nothing else, in both modes.
So the function, with all that it calls, must do nothing else to its arguments, and return none of
them. The result is the same in graph mode and in tree mode.

What it does otherwise
----------------------
`nnx.compat.vmap`, `nnx.compat.pmap`, and `nnx.compat.scan` honor the argument as before. They are
also used where the class of an object is unknown, because the function may then sow, or make
parameters in its first call. `--allow unknown-effects` allows the rewrite.

Reference: https://flax.readthedocs.io/en/latest/flip/5310-tree-mode-nnx.html
"""

from __future__ import annotations

import ast
import enum

from nnx_codemods._captures.only_writes import more_than_updates
from nnx_codemods._claims import RuleClaim
from nnx_codemods._evidence import updated_broadcast
from nnx_codemods._next_steps import NextStep
from nnx_migrate.analysis.flax.transforms import METADATA_OPTION, of_nnx
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.core.findings import Evidence, Proof
from nnx_migrate.core.refusal import Cause, Reason
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import (
    Contribution,
    Decision,
    Metadata,
    Pin,
    Same,
)
from nnx_migrate.rewrite.model.rule import Rule


@enum.unique
class MetadataCause(Cause):
    """How the metadata of a new axis ends."""

    MAY_BE_HIDDEN = ("it may be among options that the code does not show", NextStep.WRITE_OPTIONS)
    EMPTY = "the metadata is empty"
    NOT_WRITTEN = (
        "the metadata is not written out as {{nnx.PARTITION_NAME: name}}",
        NextStep.WRITE_METADATA,
    )
    FUNCTION_HIDDEN = (
        "the code does not show the function of the transform",
        NextStep.NAME_FUNCTION,
    )
    NAMED = "nnx.transform_metadata names the new axis"
    DOES_MORE = (
        "nnx.transform_metadata keeps updates of Variables alone, and the function {does} more to "
        "an argument: {what} ({place})",
        NextStep.UPDATE_ALONE,
    )


def decide(context: FileContext, site: Site) -> Decision | None:
    if not site.complete:
        hidden = site.form != "reference" and METADATA_OPTION not in site.options
        return Pin(RULE.name, MetadataCause.MAY_BE_HIDDEN) if hidden else None
    value = site.options.get(METADATA_OPTION)
    if value is None:
        return None
    if isinstance(value, ast.Dict) and not value.keys:
        return Same(RULE.name, MetadataCause.EMPTY)
    partition = _partition(context, value)
    if partition is None:
        return Pin(RULE.name, MetadataCause.NOT_WRITTEN)
    if site.function is None:
        return Pin(RULE.name, MetadataCause.FUNCTION_HIDDEN)
    reason = _broadcast(context, site)
    if reason:
        return Pin(RULE.name, reason)
    evidence = [Evidence(str(RuleClaim.NAMES_PARTITION), Proof.PROVED, context.where(value))]
    more = more_than_updates(context, site)
    allowed = more is not None and more.permission and context.options.allows(more.permission)
    if more is not None and not allowed:
        return _keeps_updates_alone(more)
    claim = str(RuleClaim.UPDATES_ALONE)
    evidence.append(more or Evidence(claim, Proof.PROVED, context.where(site.node)))
    return Contribution(
        RULE.name,
        MetadataCause.NAMED,
        tuple(evidence),
        Metadata(partition, _axes(context, site)),
        options={METADATA_OPTION: None},
    )


def _keeps_updates_alone(more: Evidence) -> Pin:
    does = "does" if more.proof is Proof.PROVED else "may do"
    reason = MetadataCause.DOES_MORE.about(more.where, does=does, what=more.claim)
    return Pin(RULE.name, reason, (more,), outward=True)


def _partition(context: FileContext, value: ast.expr) -> str | None:
    """Source text of the name, when the dictionary holds nothing else."""
    if not isinstance(value, ast.Dict) or len(value.keys) != 1 or value.keys[0] is None:
        return None
    key = value.keys[0]
    is_name = isinstance(key, ast.Constant) and key.value == "partition_name"
    if not is_name and context.tree.nnx_name(key) != "PARTITION_NAME":
        return None
    return context.text.of(value.values[0])


def _broadcast(context: FileContext, site: Site) -> Reason:
    axes = site.options.get("in_axes")
    if not site.spec.carries or not isinstance(axes, ast.Tuple):
        return ""
    places = [i for i, axis in enumerate(axes.elts) if context.text.of(axis) == "None"]
    return next(filter(None, (updated_broadcast(context, site, i) for i in places)), "")


def _axes(context: FileContext, site: Site) -> dict[str, str]:
    """The axes as they are written, but for the default 0; a scan's own defaults in full."""
    found = {
        name: context.text.of(site.options[name])
        for name in ("in_axes", "out_axes")
        if name in site.options
    }
    if not site.spec.carries:
        return {name: text for name, text in found.items() if text != "0"}
    head = context.text.of(site.reference).rpartition(".")[0] or "nnx"
    for name in ("in_axes", "out_axes"):
        found.setdefault(name, f"({head}.Carry, 0)")
    return found


RULE = Rule(
    "transform-metadata",
    of_nnx(lambda t: t.maps_axes),
    decide,
    project_words=frozenset({METADATA_OPTION, "**"}),
    way_out="put nnx.transform_metadata around the function",
)
