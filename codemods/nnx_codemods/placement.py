"""Where a transform places arrays: `nnx.jit(f, in_shardings=...)`.

What it finds
-------------
`nnx.jit` of functions that are given a Module for which `in_shardings` says something,
`nnx.StateSharding` or not. `nnx.shard_map` and `nnx.pmap` of functions that are given a Module or
Variables, in files that read `.sharding` of something; of `nnx.pmap` in a function, where that
function does.

Why it matters
--------------
Graph mode makes every array of these an output, which is then placed as the transform says.
Tree mode gives back what the function changed; all else stays where it was. The numbers are the
same, the placements are not (docs/semantics.md: JIT-D): what `@nnx.jit(in_shardings=...)
def place(model): pass` spreads over a mesh stays on one device, and is sent to the others in every
call.

Before
------
    y = nnx.shard_map(forward, mesh=mesh, in_specs=(P(None), P("data")), out_specs=out)(model, x)
    print(model.kernel.sharding)

After
-----
    y = nnx.compat.shard_map(forward, mesh=mesh, in_specs=...)(model, x)

When it is safe
---------------
This rule rewrites nothing; it pins. To get rid of the pin, place the Module before the call:
`nnx.update(model, jax.device_put(nnx.state(model), sharding))`, and take `in_shardings` away.

What it does otherwise
----------------------
`nnx.shard_map` and `nnx.pmap` stay as they are in files that never read a sharding. There they say
how to compute, and the place of the arrays afterwards changes time and memory, and no result.
`nnx.jit` without `in_shardings` also stays: graph mode moves Variables there only because other
arguments are on a mesh. The same goes for an `nnx.jit` that gets the States of a Module.
With `--ignore placement` what `state-sharding` finds is rewritten.

Reference: https://flax.readthedocs.io/en/latest/flip/5310-tree-mode-nnx.html
"""

from __future__ import annotations

import ast

from nnx_codemods._claims import RuleClaim
from nnx_codemods._evidence import is_graph_node
from nnx_migrate.analysis.domain.values import STATE
from nnx_migrate.analysis.flax.transforms import of_nnx
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.core.findings import Evidence, Proof
from nnx_migrate.core.refusal import Cause
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import Decision, Pin
from nnx_migrate.rewrite.model.functions import function_scopes, given_parameters
from nnx_migrate.rewrite.model.rule import Rule


class PlacementCause(Cause):
    """Why arrays would lie elsewhere."""

    NOT_PLACED = "tree mode does not place the parts of {name} that the function does not change"


def decide(context: FileContext, site: Site) -> Decision | None:
    by_device = site.spec.maps_axes or not site.spec.compiles
    if by_device:
        told = _reads_shardings(context, site)
        because = "this file reads the placement of arrays"
    else:
        told = "in_shardings" in site.options
        because = "in_shardings decide where it goes"
    for scope in function_scopes(context, site) if told else ():
        for index, name, values in given_parameters(context, site, scope):
            if not by_device and not _is_placed(context, site, index):
                continue
            held = values & STATE and by_device
            if held or is_graph_node(context, values, _KINDS):
                claim = str(RuleClaim.HOLDS_VARIABLES.about(name=name, because=because))
                evidence = Evidence(claim, Proof.PROVED, context.where(site.node))
                return Pin(RULE.name, PlacementCause.NOT_PLACED.about(name=name), (evidence,))
    return None


def _is_placed(context: FileContext, site: Site, index: int | None) -> bool:
    """Whether `in_shardings` may say something of the argument at a place."""
    shardings = site.options["in_shardings"]
    if isinstance(shardings, ast.Name):
        found = context.tree.assigned_value(context.tree.scope(shardings), shardings.id)
        shardings = shardings if found is None else found[0]
    if isinstance(shardings, ast.Tuple | ast.List) and index is not None:
        held = shardings.elts
        if any(isinstance(each, ast.Starred) for each in held):
            return True
        return index < len(held) and not _is_none(held[index])
    return not _is_none(shardings)


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _reads_shardings(context: FileContext, site: Site) -> bool:
    """Whether code that may see what the site leaves behind asks where arrays lie.

    `nnx.shard_map` is for who cares where arrays lie: all of the file counts. Of `nnx.pmap` in a
    function, that function does.
    """
    around = context.outermost_function(site.node) if site.spec.maps_axes else None
    return any(
        node.attr == "sharding"
        and context.tree.dotted(node) != "jax.sharding"
        and (around is None or context.outermost_function(node) is around)
        for node in context.tree.of_kind(ast.Attribute)
    )


_KINDS = frozenset({"module", "metric", "variable", "rngs", "optimizer"})
RULE = Rule(
    "placement",
    of_nnx(lambda t: t.places or (t.compiles and t.maps_axes)),
    decide,
    way_out="place the State before the call, with jax.device_put",
)
