"""Arguments bound ahead of time: `nnx.cached_partial`.

What it finds
-------------
Every use of `nnx.cached_partial`.

Why it matters
--------------
It exists in graph mode only: in tree mode it raises a ValueError (SEMANTICS JIT-B).

Before
------
    step = nnx.cached_partial(train_step, model, optimizer)

After
-----
    step = functools.partial(train_step, model, optimizer)

When it is safe
---------------
Always: the results are the same in both modes. What `cached_partial` saved is time per call: in
graph mode the call gets slower, in tree mode it is about as fast as it was. Code that need not
run in graph mode any more can go on to `nnx.jit_partial`, which is the fastest.

What it does otherwise
----------------------
Where `functools` means something else in the file, it is reported as manual work.

Reference: https://flax.readthedocs.io/en/latest/flip/5310-tree-mode-nnx.html
"""

from __future__ import annotations

from nnx_migrate.facts.sites import Site
from nnx_migrate.outcomes import Evidence, Proof
from nnx_migrate.rewrite.context import FileContext
from nnx_migrate.rewrite.plan import Contribution, Decision
from nnx_migrate.rewrite.rule import Rule


def decide(context: FileContext, site: Site) -> Decision | None:
    evidence = Evidence(
        "functools.partial gives the same results in both modes (SEMANTICS CPP-01c)", Proof.PROVED
    )
    return Contribution(
        RULE.name,
        "functools.partial binds the arguments; nnx.jit_partial is faster once the flip is done",
        (evidence,),
        callee="functools.partial",
    )


_NAMES = frozenset({"cached_partial"})
RULE = Rule("cached-partial", _NAMES, decide, project_words=_NAMES)
