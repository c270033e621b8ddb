"""Axes by kind of Variable: `nnx.StateAxes` in `vmap`, `pmap` and `scan`.

What it finds
-------------
`nnx.StateAxes` that reaches the `in_axes` or `out_axes` of `nnx.vmap`, `nnx.pmap` or `nnx.scan`:
inline, behind a name, in a tuple; on decorators, calls, partials and methods.

Why it matters
--------------
Tree mode knows no prefix filters: building the transform raises a ValueError (docs/semantics.md:
PFX-1 to PFX-5, SCN-2).

Before
------
    @nnx.vmap(in_axes=(nnx.StateAxes({nnx.Param: 0, ...: None}), 0))
    def forward(model, x):
        return model(x)

After
-----
    def forward(model, x):
        graphdef, params, rest = nnx.split(model, nnx.Param, ...)

        @nnx.vmap(in_axes=(0, None, 0))
        def forward_of_state(params, rest, x):
            model = nnx.merge(graphdef, params, rest)
            return model(x)

        return forward_of_state(params, rest, x)

When it is safe
---------------
The filters and axes can be read from the code, the argument is shown to be a Module (or Rngs, or
an Optimizer), and the function does not change its structure. The States share their Variables
with the Module, so updates reach it as before. In `scan`, Variables with axis None are cloned in
the body, because graph mode discards what the body does to them; those with `nnx.Carry` join the
carry.

What it does otherwise
----------------------
`nnx.compat.vmap`, `nnx.compat.pmap` and `nnx.compat.scan` take StateAxes as before.

Reference: https://flax.readthedocs.io/en/latest/flip/5310-tree-mode-nnx.html
"""

from __future__ import annotations

from nnx_codemods._axes.split_by_axes import AxisOptions, decide_by_axes
from nnx_migrate.analysis.flax.transforms import of_nnx
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import Decision
from nnx_migrate.rewrite.model.rule import Rule

_OPTIONS = AxisOptions("in_axes", "out_axes")


def decide(context: FileContext, site: Site) -> Decision | None:
    return decide_by_axes(context, site, RULE.name, "StateAxes", _OPTIONS)


RULE = Rule(
    "state-axes",
    of_nnx(lambda t: t.maps_axes),
    decide,
    project_words=frozenset({"StateAxes"}),
    way_out="split the object with the filters, and give each State its axis",
)
