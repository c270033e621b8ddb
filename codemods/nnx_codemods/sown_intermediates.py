"""Values that are sown under a transform and popped outside of it: `sow` and `nnx.pop`.

What it finds
-------------
Functions under `nnx.jit`, `nnx.vmap`, `nnx.pmap`, `nnx.scan` or `nnx.remat`, and losses under
`nnx.grad` or `nnx.value_and_grad`, that sow on a Module that they are given. Decorated functions
that set an attribute to a Variable each time (`self.kl = Loss(v)`), of a type that nothing else
makes, in a project that calls some `pop`. Gradients by `nnx.DiffState` of what a Module perturbs,
where it is popped again.

Why it matters
--------------
Sowing makes a new attribute. In tree mode, it is lost when the transform returns, and `nnx.pop`
silently returns an empty State (docs/semantics.md: SOW-2).

Before
------
    @nnx.jit
    def forward(model, x):
        return model(x)

    def activations(model, x):
        y = forward(model, x)
        intermediates = nnx.pop(model, nnx.Intermediate)
        return y, intermediates

After
-----
    @nnx.jit
    @nnx.capture(nnx.Intermediate)
    def forward(model, x):
        return model(x)

    def activations(model, x):
        y, intermediates = forward(model, x)
        return y, intermediates

A loss captures the one call that it makes of its Module, and returns the State as auxiliary output:

    def loss_fn(model):
        y, intermediates = nnx.capture(model, nnx.Intermediate)(x)
        return jnp.mean(y), intermediates

    (loss, intermediates), grads = nnx.value_and_grad(loss_fn, has_aux=True)(model)

Everything else is popped at the end of the function, and put back behind its call, where it was
before; the copy is for what lay there already. Whoever reads or pops it finds it, wherever that is:

    y, sown = nnx.vmap(lambda m, x: (m(x), nnx.clone(nnx.pop(m, nnx.Intermediate))))(model, x)
    nnx.update(model, sown)

A loss returns it as auxiliary output, the body of a scan beside its outputs.

A function or method under decorators, or under a transform that is bound to a name, gets a private
twin that does so. It keeps its name and its signature, so no caller has to change, not even in
other files and packages:

    @nnx.jit
    def _forward_and_pop(model, x):
        return model(x), nnx.clone(nnx.pop(model, nnx.Intermediate))

    def forward(model, x):
        result, sown = _forward_and_pop(model, x)
        nnx.update(model, sown)
        return result

Where a function makes new Variables in each call, the caller first pops those of the call before
(`nnx.pop(model, Loss)` in front of `nnx.update`), because the new ones take their place.

Gradients with respect to perturbations get these as an argument. Before:

    model(x)  # makes the perturbations
    wrt = nnx.DiffState(0, (nnx.Param, nnx.Perturbation))
    grads = nnx.grad(loss_fn, argnums=wrt)(model)
    grads, hidden_grads = nnx.state(grads, nnx.Param, nnx.Perturbation)
    nnx.pop(model, nnx.Perturbation)

After, with `nnx.capture(model, init=perturbations)(x)` in the loss (`module-gradient` then splits
the model as everywhere):

    _, perturbations = nnx.capture(model, nnx.Perturbation)(x)
    grads, hidden_grads = nnx.grad(loss_fn, argnums=(0, 1))(model, perturbations)

When it is safe
---------------
`nnx.capture` replaces a pop, if all of this holds:

- All calls of the function are in its file, and the object is the first argument.
- In the block of each call, a pop of exactly the sown type follows. Capture goes by the exact type,
  and pop takes subclasses, too. Nothing in between may change or read the object.
- Nothing sown is on the object before. The rule follows it to where it is made.
- If something between the call and the pop may raise, no code continues after that. An exception in
  the function itself leaves nothing behind, because capture has the object inside the transform.
- No code reads the sown values as an attribute.

Otherwise, the function pops what it sows, and it is put back outside, if all of this holds:

- The function sows on one object, whose types of sown values are known, and does nothing else to
  it.
- No other code makes Variables of these types (`self.h = nnx.Intermediate(x)`).
- It does not run under `nnx.capture`, where pop cannot take what is sown. What other programs
  capture does not matter: a notebook runs only what it imports, and so does a file that no other
  file can import.

The statement of a single call puts it back, if the call comes first there, and the object has a
name. A function that has a private twin puts it back for all calls, if this holds:

- `nnx.jit` has no options but `static_argnames`. Other transforms have no more than axes, at which
  what is sown is 0.
- Arguments of a jitted function that are not static have no default but None, or a number that only
  arrays are multiplied by or added to. Inside they would be values of the trace.

A Variable that each call makes counts as sown, if all of this holds:

- Its class is one of the project, and nothing else makes objects of it, or of a class below it.
- Each is stored in a method's own object at once, under one name. Neither the constructor, nor
  other code, nor a class above or below uses that name for anything else.
- The program does not use `nnx.capture`, which does not collect such Variables.

For perturbations, the forward pass before the gradient is the one in the loss, on the same inputs.
They are popped in the same block, or the object is made there and nothing else sees them. Nothing
else happens to the object in between, and nothing was perturbed on it before. Where code uses the
gradients in another way than by type, `nnx.merge_state` puts them together again.

What it does otherwise
----------------------
`structural-update`, `diff-state` or `module-gradient` keeps the transform in graph mode and says
what is missing. What is sown and popped outside of transforms is the same in both modes.

Reference: https://flax.readthedocs.io/en/latest/guides/extracting_intermediates.html
"""

from __future__ import annotations

import enum

from nnx_codemods._claims import RuleClaim
from nnx_codemods._sown.captured import captured
from nnx_codemods._sown.perturbations import perturbed
from nnx_codemods._sown.residual_state.private_twin import twins
from nnx_codemods._sown.residual_state.put_back import put_back
from nnx_codemods._sown.sowing import RULE_NAME, SOWN_UNDER
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.core.findings import Evidence, Proof
from nnx_migrate.core.refusal import Cause, Refusal
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import Contribution, Decision
from nnx_migrate.rewrite.model.function_rewrite import FunctionRewrite
from nnx_migrate.rewrite.model.rule import Rule
from nnx_migrate.rewrite.model.sown_plans import PutBack


@enum.unique
class ResultCause(Cause):
    """What becomes of values that are sown, or perturbed."""

    CAPTURED = "nnx.capture collects the sown values, and the function returns them"
    BY_TWIN = "a private twin of the function returns the sown values, and its call puts them back"
    PUT_BACK = "the function returns the sown values, and the caller puts them back"
    PERTURBED = "nnx.capture creates the perturbations, and the function gets them as an argument"


#: Rules that keep a site in graph mode because of what is sown.
_SETTLED = frozenset({"structural-update", "module-gradient", "diff-state", "state-axes"})


def decide(context: FileContext, site: Site) -> Decision | None:
    if site in perturbed(context):
        return _decide_perturbed(context, site)
    found = captured(context).get(site)
    if found is None:
        return _put_back(context, site)
    evidence = tuple(
        Evidence(str(RuleClaim.POPPED_BEHIND), Proof.PROVED, context.where(call.pop))
        for call in found.plan.calls
    )
    return Contribution(
        RULE.name,
        ResultCause.CAPTURED,
        evidence,
        found.plan,
        settles=_SETTLED,
    )


def _put_back(context: FileContext, site: Site) -> Decision | None:
    """What the function sows is popped at its end, and put back behind the call."""
    twin = twins(context).get(site)
    if isinstance(twin, FunctionRewrite):
        return Contribution(RULE.name, ResultCause.BY_TWIN, (), twin, settles=_SETTLED)
    plan = put_back(context).get(site)
    if not isinstance(plan, PutBack):
        return None
    calls = tuple(
        Evidence(str(RuleClaim.PUT_BACK), Proof.PROVED, context.where(use)) for use in plan.uses
    )
    return Contribution(
        RULE.name,
        ResultCause.PUT_BACK,
        calls,
        plan,
        settles=_SETTLED,
    )


def _decide_perturbed(context: FileContext, site: Site) -> Decision | None:
    found = perturbed(context)[site]
    if isinstance(found, Refusal):
        return None
    evidence: list[Evidence] = []
    for call in found.plan.calls:
        first, last = context.where(call.first), context.where(call.pop or call.use)
        evidence += (
            Evidence(str(RuleClaim.SAME_PASS_BEFORE), Proof.PROVED, first),
            Evidence(str(RuleClaim.POPPED_OR_UNSEEN), Proof.PROVED, last),
        )
    return Contribution(
        RULE.name,
        ResultCause.PERTURBED,
        tuple(evidence),
        found.plan,
        options={"argnums": found.argnums},
        settles=_SETTLED,
        drop=found.names,
    )


RULE = Rule(
    RULE_NAME,
    SOWN_UNDER,
    decide,
    project_words=frozenset({"sow", "sow_weights", "perturb", "pop"}),
    way_out="pop in the traced function and return the popped values, or use nnx.capture",
)
