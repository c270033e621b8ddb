"""Gradients of a whole Module: `nnx.grad` and `nnx.value_and_grad` with a Module argument.

What it finds
-------------
`nnx.grad(f)(model)` and `nnx.value_and_grad(f)(model)`, as a call, bound to a name, or as a
decorator, where the differentiated argument is a Module.

Why it matters
--------------
In graph mode only the Params of a Module are differentiated. In tree mode every array in it is:
counters and random keys raise a TypeError, batch statistics get gradients of their own, and the
gradients come back as a Module where they were a State (docs/semantics.md: GRD-1, GRD-2, GRD-3).

Before
------
    def loss_fn(model):
        return jnp.mean((model(x) - y) ** 2)

    loss, grads = nnx.value_and_grad(loss_fn)(model)

After
-----
    def loss_fn(params, nondiff):
        model = nnx.merge(graphdef, params, nondiff)
        return jnp.mean((model(x) - y) ** 2)

    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)
    loss, grads = nnx.value_and_grad(loss_fn)(params, nondiff)

When it is safe
---------------
The differentiated argument is shown to be a Module, if only by what happens to it: the loss calls
it, and an optimizer is updated with it, or `nnx.state(model, nnx.Param)`, `nnx.split`, or
`nnx.update` gets it, or it is set to `train()` or `eval()` beside the gradient, or by all callers.
The function, with all that it calls, neither changes the Module's structure (new, replaced or
static attributes, `train()`, `sow`, `pop`) nor returns it or a part of it. Both States are
arguments, so what the forward pass updates (statistics, keys, counters) reaches the model as
before, in graph mode and in tree mode. `grads` stays a State. Where the parameter of the loss had
an annotation, its States have `nnx.State`.

A decorated loss that is called beside its definition alone keeps its decorator and its body. One
that is called elsewhere, too, keeps its signature: the decorator goes to a function inside.

A gradient that is a value (`nnx.jit(nnx.grad(loss_fn))`, `self.gradient = nnx.grad(self.loss)`)
becomes a function with the parameters of its loss, which splits the Module at each call. It reads
names when it is called: if one of them may be assigned again before that, the site is pinned.

Sometimes all of this is known except what the loss, or what it calls, does to the structure
(`model: nnx.Module`, or a loss that is passed in). If no code in sight that the call may mean
changes it, the new code checks it: a function over the States calls the loss, and splits the Module
again. It raises a ValueError (or jax's error for comparing traced arrays, in the same line) where
attributes are new, gone, or set, or a Variable was replaced. That happens while jax traces, in both
modes. A loss that pops what it has sown is checked, too, if the code does not show whether sown
values were on the Module before. In a decorated loss, the check comes before the return statement,
if that is the only one and comes last. If such a loss also returns a part of the Module, tree mode
raises (docs/semantics.md: OUT-1), and graph mode gives what it gave before. `--no-trace-
checks` pins such a place.

What it does otherwise
----------------------
A model that holds only Params needs no change if no code sees whether its gradients are a State
or a Module. They go to an optimizer, are read leaf by leaf (`optax.global_norm(grads)`) or by
attribute (`grads.linear.kernel`), or not at all. If the call that makes the Module is in sight,
only the branches of its constructor count that this call runs: with `use_dropout=False`, or with
that default, it has no dropout. If a precondition is not proved, the site is pinned:
`nnx.compat.value_and_grad`, with graph mode set for what runs inside.

Reference: https://flax.readthedocs.io/en/latest/flip/5310-tree-mode-nnx.html
"""

from __future__ import annotations

import dataclasses

from nnx_codemods._gradient.loss import decide_gradient
from nnx_codemods._sown.residual_state.private_twin import not_put_back
from nnx_migrate.analysis.flax.transforms import GRADIENTS
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import Decision, Pin
from nnx_migrate.rewrite.model.rule import Rule


def decide(context: FileContext, site: Site) -> Decision | None:
    decision = decide_gradient(context, site, RULE.name, diff_state=False)
    if isinstance(decision, Pin) and decision.sows:
        evidence = (*decision.evidence, *not_put_back(context, site))
        return dataclasses.replace(decision, evidence=evidence)
    return decision


RULE = Rule(
    "module-gradient",
    GRADIENTS,
    decide,
    way_out="split the Module before the gradient, and merge it in the loss",
)
