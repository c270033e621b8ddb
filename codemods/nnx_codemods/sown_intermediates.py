"""Values that are sown under a transform and popped outside of it: `sow` and `nnx.pop`.

What it finds
-------------
Functions under `nnx.jit`, `nnx.vmap`, `nnx.pmap`, `nnx.scan` or `nnx.remat`, and losses under
`nnx.grad` or `nnx.value_and_grad`, that sow on the Module they are given, where `nnx.pop` takes the
values after each call. Layers that sow under `nnx.scan`, `nnx.vmap` or `nnx.remat` inside of a
Module. Gradients by `nnx.DiffState` of what a Module perturbs, where it is popped again.

Why it matters
--------------
Sowing makes a new attribute. In tree mode it is gone when the transform returns, and `nnx.pop`
gives an empty State without a word (docs/semantics.md: SOW-2).

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

A loss captures the one call that it makes of its Module, and returns the State as auxiliary output
(a function under `nnx.vmap` with StateAxes does so too, and returns it as a second result):

    def loss_fn(model):
        y, intermediates = nnx.capture(model, nnx.Intermediate)(x)
        return jnp.mean(y), intermediates

    (loss, intermediates), grads = nnx.value_and_grad(loss_fn, has_aux=True)(model)

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

Where several calls of a function under `nnx.jit`, `vmap` or `remat` without options go before one
pop, in a row or in a loop, each is given the State that the one before gave:

    intermediates = nnx.State({})
    for x in batches:
        y, intermediates = forward(model, intermediates, x)

and `forward` returns `nnx.capture(model, nnx.Intermediate, init=intermediates)(x)`.

So they do where pops come now and then, of an object that is made in the function around and never
leaves it: the State holds what lies on the object at every place.

    if step % 10 == 0:
        sown, model_intermediates = model_intermediates, nnx.State({})

So do several calls of the Module in a loss: the second one is
`nnx.capture(model, nnx.Intermediate, init=intermediates)(y)`. A loss that is a lambda becomes a
definition for it.

Values of several types become a State each (`nnx.capture(Activation, Norm)` gives the result and
two States), in the order of the filters of the pop, or put together by `nnx.merge_state`.

Values that are read where they lie (`nnx.state(model, nnx.Intermediate)`, `model.block.h[0]`,
`nnx.state(model).filter(nnx.Intermediate)`) are read from the State that the call gives
(`model_intermediates["block"]["h"][0]`), where a pop follows in the same block, or the object is
made beside the call and nothing else ever sees what lies on it.

Where each branch behind the call pops them, each reads that State (an `else` that throws them away
goes); so does one branch alone, where the object is made beside the call and nobody sees it again.

A function of the file that does nothing but to pop (`collect(model)`) counts as the pop; one that
does more with what it popped is given the State in the place of the object.

Where the values are popped outside of the function that takes the gradient, or calls the jitted
one, that function returns the State beside its result, and all its calls change with it; so do
functions and methods further out. The jitted function may be a method that sows on its own object.

The body of a scan, or of a vmap whose Module is not the first argument, does so too: the State
comes out stacked, and joins the outputs of a scan that has some. Of a Module that scans over its
layers, what these sow comes out of the scan stacked. Where such a Module is called outside of any
transform, capture goes around that call:

    y, intermediates = nnx.capture(model, nnx.Intermediate)(x)

What is read somewhere else is popped at the end of the function, and put back behind its one call,
where it was before; the copy is for what lay there already:

    y, sown = nnx.vmap(lambda m, x: (m(x), nnx.clone(nnx.pop(m, nnx.Intermediate))))(model, x)
    nnx.update(model, sown)

A function or method under `@nnx.jit` gets a private twin that does so, and keeps its name and its
signature, so that nobody who calls it has to change, in other packages either:

    @nnx.jit
    def _forward_and_pop(model, x):
        return model(x), nnx.clone(nnx.pop(model, nnx.Intermediate))

    def forward(model, x):
        result, sown = _forward_and_pop(model, x)
        nnx.update(model, sown)
        return result

When it is safe
---------------
A twin is made where the transform has no options but `static_argnames`, and arguments that are not
static have no default but None: inside they would be values of the trace.
What is put back needs a function that stands at its transform, is called once, by a statement of
its own, with an object that has a name there, and no Variables of the sown types that are made
otherwise (`self.h = nnx.Intermediate(x)`). Of what nnx.capture collects much more has to be known.

The function gets a second result, so all its calls must change with it, in the files that import it
too: these are rewritten together, or not at all. Every such file must be among those that the run
may change, and do no more with the function than to call it; code outside of the project must have
no way to call it. Of a method every call by its name has to be known, and run no other; a public
method of a package needs `--allow public-signatures`. Each call is followed in its block by a pop
of the very type that is sown (capture goes by the exact type, pop takes subclasses too), and
nothing in between may touch the object. A pop by a base class is one of the very type where nothing
else is of that class. Nothing sown may lie on the object before: it is followed to where it is
made, or popped right before the call; where it cannot be followed, the rewrite needs `--allow
unknown-origin`.
Several forward passes in the function count together, as they did. An exception in the function
leaves nothing behind, because what is under capture is the object inside the transform; where
something between the call and the pop may raise, nobody may go on after that. Nobody else reads
what is sown as an attribute.

Layers are mapped over axis 0 and hold no nnx.List or nnx.Sequential (graph mode cannot take these
through a transform under capture). Every call that runs them, in other files too, is under capture
or gets so (in other files it stands under no transform); nobody hands the Module on as a function,
or goes on after an exception in it, which would leave on it what capture puts there.

Of perturbations: the forward pass before the gradient is the one in the loss, on the same inputs;
they are popped in the same block, or the object is made there and nothing else sees them; nothing
else is done to the object between, and nothing was perturbed on it before. Where the gradients are
used otherwise than taken apart by type, they are put together again by `nnx.merge_state`.

What it does otherwise
----------------------
`structural-update`, `diff-state` or `module-gradient` keeps the transform in graph mode and says
what is missing. What is sown and popped outside of transforms is the same in both modes.

Reference: https://flax.readthedocs.io/en/latest/guides/extracting_intermediates.html
"""

from __future__ import annotations

from nnx_codemods._sown.as_result import Captured, captured, passed_up
from nnx_codemods._sown.layers import OVER_LAYERS
from nnx_codemods._sown.perturbations import perturbed
from nnx_codemods._sown.residual_state.private_twin import twins
from nnx_codemods._sown.residual_state.put_back import put_back
from nnx_codemods._sown.sowing import RULE_NAME, SOWN_UNDER, sows
from nnx_codemods._sown.untraced_callers import PassedUp
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.core.findings import Evidence, Proof
from nnx_migrate.core.permissions import Permission
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import Contribution, Decision, Same
from nnx_migrate.rewrite.model.function_rewrite import FunctionRewrite
from nnx_migrate.rewrite.model.rule import Rule
from nnx_migrate.rewrite.model.sown_plans import CapturePlan, PutBack

#: Rules that keep a site in graph mode because of what is sown.
_SETTLED = frozenset({"structural-update", "module-gradient", "diff-state", "state-axes"})


def decide(context: FileContext, site: Site) -> Decision | None:
    if site in perturbed(context):
        return _decide_perturbed(context, site)
    found = captured(context).get(site) if sows(context, site) else None
    if not isinstance(found, Captured):
        return _over_layers(context, site) or _put_back(context, site)
    evidence = _taken(context, found.plan, "what it sows is taken after the call")
    evidence += _assumed(found)
    return Contribution(
        RULE.name,
        "what the function sows is collected by nnx.capture and is a result of it",
        evidence,
        found.plan,
        settles=_SETTLED,
    )


def _put_back(context: FileContext, site: Site) -> Decision | None:
    """What the function sows is popped at its end, and put back behind the call."""
    twin = twins(context).get(site)
    if isinstance(twin, FunctionRewrite):
        message = (
            "what the function sows is a result of a private twin, and put back behind its call"
        )
        return Contribution(RULE.name, message, (), twin, settles=_SETTLED)
    plan = put_back(context).get(site)
    if not isinstance(plan, PutBack):
        return None
    where = context.where(plan.use)
    return Contribution(
        RULE.name,
        "what the function sows is a result of it, and put back behind the call",
        (Evidence("this is its one call", Proof.PROVED, where),),
        plan,
        settles=_SETTLED,
    )


def _over_layers(context: FileContext, site: Site) -> Decision | None:
    """What a transform over layers sows is collected around the call of what holds them."""
    found = passed_up(context).get(site)
    if not isinstance(found, PassedUp):
        return None
    evidence = _assumed(found)
    if found.plan is None:
        reason = "what the layers sow is collected by nnx.capture around it"
        return Same(RULE.name, reason, evidence)
    popped = "what the layers sow is popped after each call"
    evidence += _taken(context, found.plan, popped)
    message = "what the layers sow is collected by nnx.capture around each call of the model"
    return Contribution(RULE.name, message, evidence, found.plan, settles=_SETTLED)


def _taken(context: FileContext, plan: CapturePlan, claim: str) -> tuple[Evidence, ...]:
    places = ((context.where_it_is(call.module), call.taken) for call in plan.calls)
    return tuple(Evidence(claim, Proof.PROVED, there.where(node)) for there, node in places)


def _assumed(found: Captured | PassedUp) -> tuple[Evidence, ...]:
    public, left = Permission.PUBLIC_SIGNATURES, Permission.UNKNOWN_ORIGIN
    claims = [
        *(("all calls of it are in the project", each, public) for each in found.unseen),
        *(("nothing is sown on it before", each, left) for each in found.assumed),
    ]
    return tuple(
        Evidence(f"{claim}, although {reason}", Proof.ASSUMED, permission=name)
        for claim, reason, name in claims
    )


def _decide_perturbed(context: FileContext, site: Site) -> Decision | None:
    found = perturbed(context)[site]
    if isinstance(found, str):
        return None
    evidence = tuple(
        Evidence(claim, Proof.PROVED, context.where(node))
        for call in found.plan.calls
        for claim, node in (
            ("the same forward pass before it makes the perturbations", call.first),
            ("they are popped behind it, or nothing else sees them", call.pop or call.use),
        )
    )
    return Contribution(
        RULE.name,
        "the perturbations are made by nnx.capture, and are an argument of the function",
        evidence,
        found.plan,
        options={"argnums": found.argnums},
        settles=_SETTLED,
        drop=found.names,
    )


RULE = Rule(
    RULE_NAME,
    SOWN_UNDER | OVER_LAYERS,
    decide,
    project_words=frozenset({"sow", "sow_weights", "perturb"}),
    across_files=True,
    way_out="pop in the traced function and return what was popped, or use nnx.capture",
)
