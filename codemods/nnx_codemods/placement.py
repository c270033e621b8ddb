"""Where arrays lie after a transform that was told where to put them: `nnx.shard_map(f, mesh=...)`.

What it finds
-------------
`nnx.shard_map` of functions that are given a Module or Variables, in files that read `.sharding` of
something.

Why it matters
--------------
Graph mode makes every array of these an output, which is then placed as the transform says.
Tree mode gives back what the function changed; all else stays where it was. The numbers are the
same, the placements are not (SEMANTICS JIT-D).

Before
------
    y = nnx.shard_map(forward, mesh=mesh, in_specs=(P(None), P("data")), out_specs=out)(model, x)
    print(model.kernel.sharding)

After
-----
    y = nnx.compat.shard_map(forward, mesh=mesh, in_specs=...)(model, x)

When it is safe
---------------
This rule rewrites nothing; it pins. To get rid of the pin, place the Module with `jax.device_put`
before the call.

What it does otherwise
----------------------
Files that never read a sharding are left alone: where the arrays lie costs time and memory there,
and no result.

Reference: https://flax.readthedocs.io/en/latest/flip/5310-tree-mode-nnx.html
"""

from __future__ import annotations

import ast

from nnx_codemods._evidence import is_graph_node
from nnx_migrate.facts.sites import Site
from nnx_migrate.facts.values import STATE
from nnx_migrate.outcomes import Evidence, Proof
from nnx_migrate.rewrite.context import FileContext
from nnx_migrate.rewrite.functions import function_scopes, given_parameters
from nnx_migrate.rewrite.plan import Decision, Pin
from nnx_migrate.rewrite.rule import Rule


def decide(context: FileContext, site: Site) -> Decision | None:
    if not _reads_shardings(context):
        return None
    for scope in function_scopes(context, site):
        for _, name, values in given_parameters(context, site, scope):
            if values & STATE or is_graph_node(context, values, _KINDS):
                claim = f"{name} holds Variables, and this file reads where arrays lie"
                evidence = Evidence(claim, Proof.PROVED, context.where(site.node))
                reason = f"tree mode places nothing of {name} that the function does not change"
                return Pin(RULE.name, reason, (evidence,))
    return None


def _reads_shardings(context: FileContext) -> bool:
    return any(
        node.attr == "sharding" and context.tree.dotted(node) != "jax.sharding"
        for node in context.tree.of_kind(ast.Attribute)
    )


_KINDS = frozenset({"module", "metric", "variable", "rngs", "optimizer"})
RULE = Rule("placement", frozenset({"shard_map"}), decide)
