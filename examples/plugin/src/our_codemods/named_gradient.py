"""Gradients that are returned without a name.

What it finds
-------------
`return nnx.grad(loss)(model, x)` in a function.

Before
------
    return nnx.grad(loss)(model, x)

After
-----
    grads = nnx.grad(loss)(model, x)
    return grads

When it is safe
---------------
Always: the name is bound nowhere else in the function.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.core.findings import Evidence, Proof
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import Contribution, Decision, Pin
from nnx_migrate.rewrite.model.function_rewrite import FunctionFacts, FunctionRewrite
from nnx_migrate.rewrite.model.rule import Rule

if TYPE_CHECKING:
    import libcst as cst


def decide(context: FileContext, site: Site) -> Decision | None:
    statement = context.tree.statement(site.node)
    if not isinstance(statement, ast.Return) or statement.value not in site.uses:
        return None
    if "grads" in context.taken_names(site.node):
        return Pin(RULE.name, "the name grads means something else here; rename that")

    def transformer(facts: FunctionFacts) -> cst.CSTTransformer:
        from our_codemods.named_gradient_edit import NameReturned

        return NameReturned(facts, statement, "grads")

    return Contribution(
        RULE.name,
        "the gradients get a name",
        (Evidence("the name is free in the function", Proof.PROVED),),
        change=FunctionRewrite.around(context, site, transformer),
    )


RULE = Rule("named-gradient", frozenset({"grad"}), decide)
