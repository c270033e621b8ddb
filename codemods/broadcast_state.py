"""State that a scan broadcasts and its body updates: `None` in the `in_axes` of `nnx.scan`.

What it finds
-------------
`nnx.scan` with axis None for a Module, Rngs, Optimizer or Metric that holds more than Params.

Why it matters
--------------
Graph mode starts every iteration with the object as it was and discards what the body does to it:
the same dropout mask in every step, no counter counts. Tree mode carries it from step to step,
without a word (SEMANTICS SCN-1).

Before
------
    @nnx.scan(in_axes=(None, 0), out_axes=0)
    def body(dropout, x):
        return dropout(x)

After
-----
    @nnx.scan(in_axes=(None, 0), out_axes=0)
    def body(dropout, x):
        dropout = nnx.clone(dropout)
        return dropout(x)

When it is safe
---------------
Always: in both modes the body works on a copy, and the results are those of graph mode today. If
the updates were meant to be kept, that is a bug today; then carry the object instead.

What it does otherwise
----------------------
Where the function cannot be edited (others use it too), `nnx.compat.scan`.

Reference: https://flax.readthedocs.io/en/latest/flip/5310-tree-mode-nnx.html
"""

from __future__ import annotations

import ast

from codemods._evidence import updated_broadcast
from nnx_migrate.facts.sites import Site
from nnx_migrate.outcomes import Evidence, Proof
from nnx_migrate.rewrite.arguments import positional_names
from nnx_migrate.rewrite.cloning import works_on_copy
from nnx_migrate.rewrite.context import FileContext
from nnx_migrate.rewrite.functions import definition_of
from nnx_migrate.rewrite.plan import Contribution, Decision
from nnx_migrate.rewrite.rule import Rule


def decide(context: FileContext, site: Site) -> Decision | None:
    axes = site.options.get("in_axes")
    if not isinstance(axes, ast.Tuple) or site.form == "reference":
        return None
    places = tuple(
        place
        for place, axis in enumerate(axes.elts)
        if isinstance(axis, ast.Constant)
        and axis.value is None
        and updated_broadcast(context, site, place)
    )
    if not places or _copies_already(context, site, places):
        return None
    evidence = Evidence(
        "a copy in the body gives the results of graph mode in both modes",
        Proof.PROVED,
        "SEMANTICS SCV-01",
    )
    return Contribution(
        RULE.name,
        "the body works on a copy, because updates of what a scan broadcasts are discarded today; "
        "if they were meant to be kept, carry it instead",
        (evidence,),
        clones=places,
    )


def _copies_already(context: FileContext, site: Site, places: tuple[int, ...]) -> bool:
    """Whether the body begins with the copies, or uses the argument only to copy it."""
    function = definition_of(context, site.function)
    if function is None:
        return False
    names = positional_names(function)
    return all(
        place < len(names) and works_on_copy(context, site, names[place]) for place in places
    )


_SCAN = frozenset({"scan"})
RULE = Rule("broadcast-state", _SCAN, decide, words=_SCAN)
