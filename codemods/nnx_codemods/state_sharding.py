"""Shardings by kind of Variable: `nnx.StateSharding` in `jit` and `shard_map`.

What it finds
-------------
`nnx.StateSharding` that reaches `in_shardings` or `out_shardings` of `nnx.jit`, or `in_specs` or
`out_specs` of `nnx.shard_map`.

Why it matters
--------------
Tree mode knows no prefix filters: building the transform raises a ValueError (SEMANTICS PFX-1,
PFX-2).

Before
------
    @nnx.jit(in_shardings=(nnx.StateSharding({nnx.Param: sharded, ...: replicated}), None))
    def forward(model, x):
        return model(x)

After
-----
    @nnx.jit(in_shardings=(None, sharded, replicated, None))
    def forward_of_state(graphdef, params, rest, x):
        model = nnx.merge(graphdef, params, rest)
        return model(x)


    def forward(model, x):
        graphdef, params, rest = nnx.split(model, nnx.Param, ...)
        return forward_of_state(graphdef, params, rest, x)

The graphdef is an argument of a jitted function, so that a changed model compiles anew as before.

When it is safe
---------------
As for `state-axes`; and no argument of a jitted function is static or donated by its place.

What it does otherwise
----------------------
`nnx.compat.jit` and `nnx.compat.shard_map` take StateSharding as before.

Reference: https://flax.readthedocs.io/en/latest/flip/5310-tree-mode-nnx.html
"""

from __future__ import annotations

from nnx_codemods._split_by_axes import AxisOptions, decide_by_axes
from nnx_migrate.facts.sites import Site
from nnx_migrate.rewrite.context import FileContext
from nnx_migrate.rewrite.plan import Decision
from nnx_migrate.rewrite.rule import Rule

_OPTIONS = {
    "jit": AxisOptions("in_shardings", "out_shardings"),
    "shard_map": AxisOptions("in_specs", "out_specs"),
}


def decide(context: FileContext, site: Site) -> Decision | None:
    options = _OPTIONS[site.transform]
    return decide_by_axes(context, site, RULE.name, "StateSharding", options)


RULE = Rule(
    "state-sharding",
    frozenset(_OPTIONS),
    decide,
    project_words=frozenset({"StateSharding"}),
)
