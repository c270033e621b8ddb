"""Functions that run on all devices: `nnx.pmap`.

What it finds
-------------
Each use of `nnx.pmap`.

Why it matters
--------------
Our launcher decides how devices are shared, so a person reviews each `nnx.pmap` before it moves to
tree mode.

What it does otherwise
----------------------
It keeps the function in graph mode. To move it after the review, put
`# nnx-migrate: ignore[unreviewed-pmap]` on the line.
"""

from __future__ import annotations

from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.core.findings import Evidence, Proof
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import Decision, Pin
from nnx_migrate.rewrite.model.rule import Rule


def decide(context: FileContext, site: Site) -> Decision | None:
    evidence = Evidence("it runs on all devices", Proof.PROVED, context.where(site.node))
    return Pin(RULE.name, "no reviewer has released this pmap", (evidence,))


RULE = Rule(
    "unreviewed-pmap",
    frozenset({"pmap"}),
    decide,
    way_out="ask the launcher team for a review",
)
