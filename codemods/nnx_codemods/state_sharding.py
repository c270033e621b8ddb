"""Shardings by kind of Variable: `nnx.StateSharding` in `jit` and `shard_map`.

What it finds
-------------
`nnx.StateSharding` that reaches `in_shardings` or `out_shardings` of `nnx.jit`, or `in_specs` or
`out_specs` of `nnx.shard_map`.

Why it matters
--------------
Tree mode knows no prefix filters: building the transform raises a ValueError (docs/semantics.md:
PFX-1, PFX-2).

Before
------
    @nnx.jit(out_shardings=nnx.StateSharding({nnx.Param: sharded, ...: replicated}))
    def create(key):
        return Net(nnx.Rngs(key))

After
-----
    @nnx.jit(out_shardings=(None, sharded, replicated))
    def create_of_state(key):
        return nnx.split(Net(nnx.Rngs(key)), nnx.Param, ...)


    def create(key):
        graphdef, params, rest = create_of_state(key)
        return nnx.merge(graphdef, params, rest)

With `--ignore placement` StateSharding in `in_shardings` is rewritten likewise, with the States as
arguments. The graphdef is an argument of a jitted function then, so that a changed model compiles
anew as before.

When it is safe
---------------
As for `state-axes`; and no argument of a jitted function is static or donated by its place.

What it does otherwise
----------------------
`nnx.compat.jit` and `nnx.compat.shard_map` take StateSharding as before. So ends StateSharding in
`in_shardings` of a jitted function, for what `placement` finds: in tree mode the Variables that the
function does not update would stay where they were.

Reference: https://flax.readthedocs.io/en/latest/flip/5310-tree-mode-nnx.html
"""

from __future__ import annotations

from nnx_codemods._axes.split_by_axes import AxisOptions, decide_by_axes
from nnx_migrate.analysis.flax.transforms import of_nnx
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import Decision
from nnx_migrate.rewrite.model.rule import Rule


def decide(context: FileContext, site: Site) -> Decision | None:
    assert site.spec.places is not None
    options = AxisOptions(*site.spec.places)
    return decide_by_axes(context, site, RULE.name, "StateSharding", options)


RULE = Rule(
    "state-sharding",
    of_nnx(lambda t: t.places),
    decide,
    project_words=frozenset({"StateSharding"}),
    way_out="split the object with the filters, and give each State its sharding",
)
