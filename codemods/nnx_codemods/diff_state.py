"""Gradients of a part of a Module: `argnums=nnx.DiffState(i, filter)`.

What it finds
-------------
`nnx.DiffState` in the `argnums` of `nnx.grad` and `nnx.value_and_grad`: one or several, in a tuple,
behind a name, behind a condition, with any filter.

Why it matters
--------------
Tree mode knows no DiffState: building the transform raises a ValueError (docs/semantics.md: GRD-4).

Before
------
    wrt = nnx.DiffState(0, nnx.LoRAParam)
    loss, grads = nnx.value_and_grad(loss_fn, argnums=wrt)(model, x, y)

After
-----
    graphdef, lora_params, nondiff = nnx.split(model, nnx.LoRAParam, ...)
    loss, grads = nnx.value_and_grad(
        lambda lora_params, nondiff, x, y: loss_fn(nnx.merge(graphdef, lora_params, nondiff), x, y)
    )(lora_params, nondiff, x, y)

When it is safe
---------------
As for `module-gradient`; and the filter is written where it can be read.

What it does otherwise
----------------------
`nnx.compat.grad` and `nnx.compat.value_and_grad` take DiffState as before.

Reference: https://flax.readthedocs.io/en/latest/flip/5310-tree-mode-nnx.html
"""

from __future__ import annotations

import dataclasses

from nnx_codemods._gradient.loss import decide_gradient
from nnx_codemods._sown.perturbations import perturbed
from nnx_migrate.analysis.flax.transforms import GRADIENTS
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.core.refusal import Cause, Refusal
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import Decision, Pin
from nnx_migrate.rewrite.model.rule import Rule


class PerturbedCause(Cause):
    """What is said of perturbations that stay."""

    NOT_CAPTURED = "{reason}; nnx.capture cannot be used: {why}"


def decide(context: FileContext, site: Site) -> Decision | None:
    decision = decide_gradient(context, site, RULE.name, diff_state=True)
    reason = perturbed(context).get(site) if isinstance(decision, Pin) else None
    if isinstance(decision, Pin) and isinstance(reason, Refusal):
        why = PerturbedCause.NOT_CAPTURED.about(reason=decision.reason, why=reason)
        return dataclasses.replace(decision, reason=why)
    return decision


RULE = Rule(
    "diff-state",
    GRADIENTS,
    decide,
    project_words=frozenset({"DiffState"}),
    way_out="split the Module with the filter, and differentiate that State",
)
