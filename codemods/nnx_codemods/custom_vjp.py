"""Backward passes of `nnx.custom_vjp`, which receive the gradients of updates in graph mode.

What it finds
-------------
Every use of `nnx.custom_vjp`.

Why it matters
--------------
In graph mode the backward pass gets a pair: the gradients of what the function updated, one entry
for each argument, and the gradient of the output. In tree mode it gets the gradient of the output
alone: unpacking it raises, or gives other gradients where it happens to unpack (docs/semantics.md:
CVJ-1). `nondiff_argnums` with a `DiffState` is refused (CVJ-2).

Before
------
    @nnx.custom_vjp
    def f(model, x): ...

    def bwd(residuals, g):
        (model_updates_g, _), out_g = g

After
-----
    @nnx.compat.custom_vjp
    def f(model, x): ...

When it is safe
---------------
This rule rewrites nothing; it pins. The way of tree mode, `bwd(residuals, g)` with a clone of the
Module for its gradient, does not run in graph mode, so it has to wait for the flip.

What it does otherwise
----------------------
The passes given to `f.defvjp(forward, backward)` run when no call of `f` does, so that those that
reach something which depends on the mode have it set for themselves:
`f.defvjp(forward, nnx.set_graph_mode(True)(nnx.set_graph_updates(True)(backward)))`.
Functions of arrays alone are pinned too, because their backward pass gets the pair as well; for
these `jax.custom_vjp` does the same in both modes.

Reference: https://flax.readthedocs.io/en/latest/flip/5310-tree-mode-nnx.html
"""

from __future__ import annotations

from nnx_codemods._claims import RuleClaim
from nnx_migrate.analysis.flax.transforms import of_nnx
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.core.findings import Evidence, Proof
from nnx_migrate.core.refusal import Cause
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import Decision, Pin
from nnx_migrate.rewrite.model.rule import Rule


class BackwardCause(Cause):
    """Why a backward pass depends on the mode."""

    GETS_UPDATES = "in graph mode, its backward pass also gets the gradients of updates"


def decide(context: FileContext, site: Site) -> Decision | None:
    evidence = Evidence(str(RuleClaim.CUSTOM_VJP), Proof.PROVED, context.where(site.node))
    return Pin(RULE.name, BackwardCause.GETS_UPDATES, (evidence,))


RULE = Rule(
    "custom-vjp",
    of_nnx(lambda t: t.has_passes),
    decide,
    way_out="write it with jax.custom_vjp over arrays, and split the Module around it",
)
