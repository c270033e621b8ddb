"""One object that reaches a transform twice: `f(model, model.encoder)`, a model with tied weights.

What it finds
-------------
Calls of functions under `jit`, `grad`, `value_and_grad`, `vmap`, `pmap`, `scan`, `remat`,
`shard_map`, `cond`, `switch`, `while_loop`, and `fori_loop` that get the same Module, Optimizer,
Rngs, Metric, or Variable twice:

- in two arguments
- in an argument, and in another one that holds it (a model and its ModelAndOptimizer)
- in two elements of a carry
- in one object that keeps it under two names, or keeps itself (for a gradient, its own rule sees
  that)

A constructor that stores its argument a second time (`self.head = shared`) counts for the objects
that pass it a layer. An object that passes None (`Decoder(None)`, or the default) holds nothing
twice.

The case of two names is also found for `split_rngs` and `fork_rngs` as decorators, and for
functions that trace nothing: `nnx.split`, `nnx.state`, `nnx.clone`, `nnx.map`, `nnx.Optimizer`,
`nnx.EMA`, `nnx.tabulate`, `model.train()`, `model.eval()`, and similar ones. A method that a
test chooses counts, too: `(model.train if training else model.eval)()`. Modules that are not trees
(`pytree=False`, `nnx.Object`, `bridge.Module`) count as such objects. The rule treats the project's
own kinds of `nnx.Optimizer`, `nnx.ModelAndOptimizer`, and `nnx.EMA` in the same way. It also looks
at `graphdef.apply(...)` and `nnx.call(...)`, which take the object apart again, by what was split.

Why it matters
--------------
Graph mode passes shared references as such. Tree mode raises an error that begins with "Duplicate"
for all but the loops. The loops take the two apart, and silently drop what the body does through
one of them (docs/semantics.md: ALI-1 to ALI-3, LOP-1).

Before
------
    model.decoder = model.encoder
    nnx.fori_loop(0, 3, body, model)

After
-----
    nnx.compat.fori_loop(0, 3, body, model)

When it is safe
---------------
A jitted function may get a model together with the `nnx.ModelAndOptimizer` that was made from it.
It then reads the model from there (`model = optimizer.model`), and the calls no longer pass it, if
all of this holds:

- All calls are in sight. They pass the model, read it from the optimizer (`optimizer.model`), or
  pass a view of it that no code changes (`nnx.view(model, deterministic=False)`). The function then
  makes that view.
- Both names are bound once, one after the other, or by what one function of the file makes and
  returns (`model, optimizer = make()`).
- Options of `nnx.jit` list both parameters, or neither. They then list those that are left.

A decorated function may make a model and return it with its State (`return model, state`, where
`state = nnx.state(model)`). It then returns the model alone, and the callers take its State. Every
call must be in sight, and bind both to names. Everything else is pinned.

Under `jit`, `cond`, and `switch` mid mode is enough (`graph=True, graph_updates=False`): it keeps
what is shared, and writes values of Variables back. The rule writes it where all of this is proved:

- The function changes no structure of its arguments: it sets, replaces, and sows nothing.
- It captures no object, and runs no function of nnx that depends on the mode.
- It returns nothing of its arguments, and no option donates or places anything.

If one of these fails, the pin is full graph mode: by the `compat` name, by `graph=True` where there
is none (`nnx.Optimizer(..., graph=True)`), and by `nnx.set_graph_mode(True)(model.eval)()` where
there is neither. To get rid of the pin, pass the object once and reach the other name through it.

A class of the project whose constructor stores an object a second time (`self.head = self.embed`,
`self.out = self.attention.out`) gets a property for one of the two names. The object is kept under
the name that comes first in the alphabet, because both modes list it there: all paths of
`nnx.state` stay the same. Both names stay attributes in these cases:

- Other code sets one of them, or the class, a base class, or a subclass uses the name differently.
- The two statements aren't in the same block, or the block is a loop.
- The path of the object would change (`self.a = self.b.c`).
- The file of the class goes through attributes by name (`vars`, `__dict__`, `__getattr__`).

Some constructors store an object a second time on one way only, and something else on all others:
`if config.tie_word_embeddings: self.lm_head = self.embed.embedding`. The statement goes, and
`__getattr__` reads the object where it is kept. The class must have no class below it.

A class of the project with `pytree=False` becomes a pytree: the keyword goes, `nnx.Object` becomes
`nnx.Pytree`, and `nnx.data(...)` marks each list, dict, or tuple of Modules, Variables, or arrays
that its methods store in an attribute (and a None that they store before one). A list stays a list,
at the same path of `nnx.state`. If the rule cannot see what an attribute holds, flax checks it: it
raises when an object is made that keeps such a container unmarked. A class stays as it is in these
cases:

- A container mixes Modules with other things.
- Other code stores something else in its objects.
- `jax.tree.map` or a similar function takes an object of the class for a leaf.
- A call that asks for tree mode itself (`graph=False`) gets an object of the class.
- A class above it stays as it is.

A Module may keep the Rngs that it is given, and never read it again (`self.rngs = rngs` in each
block). With `--allow drop-rngs`, the attribute goes if nothing else is shared, and the constructor
uses its parameter in its place. All random numbers stay the same; the path of the Rngs leaves
`nnx.state`. If a method of the class reads the attribute, it stays. Every file of the project is
read for other code that may read it, and the finding names the first such place
(docs/permissions.md).

If a method reads it, or nothing is allowed, the first part keeps the Rngs alone: the Module deletes
it from the others (`for block in self.blocks[1:]: del block.rngs`), and passes it to each call
(`block(x, rngs=self.blocks[0].rngs)`). Graph mode lists it there, so all paths and all draws stay
the same. A part that other code makes keeps its own. All of this must hold:

- The constructor of one Module makes all parts in this file, gives them its own Rngs, and keeps
  them as attributes or in a list. The Module does not keep the Rngs itself.
- Only that Module calls the parts, and nothing else is done with them. No other file and no
  `__all__` names their class, which has no other base and no subclass.
- jax never gets the Module as a tree (`jax.tree.map`, `jax.jit`): it copies the Rngs for each part.
- No comment behind the line that stores the Rngs silences the rule.

With `--allow lift-rngs`, the Module alone keeps the Rngs that its parts keep today (`self.rngs =
rngs` in each block), and passes it to their calls (`block(x, rngs=self.rngs)`). All draws are the
same; the Rngs is at another path of `nnx.state`. All parts must be made in this file by
constructors that give them their own Rngs, must be attributes, and must only be called there
(docs/permissions.md).

With `--allow fork-rngs`, each Module keeps a fork of the Rngs that it gets, wherever its class is
(`self.rngs = rngs.fork()`), as the layers of Flax do. That is one word for each class, and all
random numbers change.

What it does otherwise
----------------------
`nnx.ModelAndOptimizer`, `nnx.call`, `nnx.capture`, and `bridge.ToLinen` take no mode, so a person
has to choose something else. Calls of packages outside the project are reported where they get an
object with shared parts: the rule does not read their code, and tree mode raises where it calls
functions of nnx (`qwix.apply_lora_to_model(model)`). With `--follow-installed` the rule reads the
installed code, and what that imports. The finding then says which function of nnx it reaches and
where, or which part of it is out of sight; code that reaches none has no finding. Packages that
call none (numpy, orbax, wandb, and similar ones) are left out. The rule does not find objects that
are the same without the code showing it, such as two results of a function of another package. The
rule for `StateAxes` looks at arguments with these.

Reference: https://flax.readthedocs.io/en/latest/flip/5310-tree-mode-nnx.html
"""

from __future__ import annotations

import ast
import dataclasses
import enum
from collections.abc import Callable

from nnx_codemods._claims import RuleClaim
from nnx_codemods._freshness.model_with_state import state_outside
from nnx_codemods._freshness.optimizer_alias import owned_argument
from nnx_codemods._freshness.retained_objects import is_other_class
from nnx_codemods._freshness.shared_inputs import (
    beside_its_optimizer,
    given_twice,
    holds_twice,
    returned_twice,
)
from nnx_codemods._gradient.argnums import argnums_of
from nnx_codemods._next_steps import NextStep
from nnx_codemods._rngs.first_keeps import first_keeps
from nnx_codemods._rngs.lifted_rngs import lifted_rngs, values_at
from nnx_codemods._rngs.suggestions import drops_wanted, forks_wanted
from nnx_codemods._trees.no_pytrees import no_pytrees
from nnx_codemods._unresolved.other_packages import handed_out
from nnx_migrate.analysis.domain.values import (
    ARRAY,
    PLAIN,
)
from nnx_migrate.analysis.flax.transforms import (
    CONTROL_FLOW,
    GRADIENTS,
    METHODS,
    OBJECT_FUNCTIONS,
    OTHER_PACKAGE,
    SPLITTERS,
    TRACING,
    of_nnx,
)
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.points_to.repeated_objects import Untold
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.core.findings import Evidence, Proof
from nnx_migrate.core.refusal import Cause, Reason
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import (
    Contribution,
    Decision,
    Manual,
    Pin,
)
from nnx_migrate.rewrite.model.functions import argument_values, function_scopes
from nnx_migrate.rewrite.model.rule import Rule

_Way = Callable[[FileContext, Site], Reason]


@enum.unique
class SharingCause(Cause):
    """How a site ends that one object reaches twice; {reason} is told by the analysis."""

    NO_TABLE = "tree mode has no table of references"
    STATE_OUTSIDE = "only the model is returned, and the callers read its State"
    NO_LONGER_PASSED = "{name} is read from the object that holds it, and no longer passed"
    TAKEN_APART = "loops in tree mode copy shared objects: {reason}"
    NO_TREE = "tree mode does not allow shared objects: {reason}"
    TAKES_NO_MODE = (
        "{reason}; nnx.ModelAndOptimizer has no option for the mode",
        NextStep.OPTIMIZER_IN_GRAPH_MODE,
    )
    USED_AROUND = (
        "{reason}; nnx.bridge.ToLinen has no option for the mode",
        NextStep.USE_IN_GRAPH_MODE,
    )
    CALLED_AROUND = (
        "{reason}; what is called here has no option for the mode",
        NextStep.CALL_IN_GRAPH_MODE,
    )


def decide(context: FileContext, site: Site) -> Decision | None:
    if site.transform == OTHER_PACKAGE:
        return handed_out(context, site, RULE.name)
    if site.form == "reference" or is_other_class(context, site) or _gets_a_state(context, site):
        return None
    if site.transform == "flatten" and site.options.keys() & {"ref_index", "ref_outer_index"}:
        return Pin(RULE.name, SharingCause.NO_TABLE, bare=True)
    ways: list[_Way] = [given_twice]
    # The rules for gradients know what one object holds twice, where they have anything to do.
    of_theirs = site.spec.differentiates and not _of_arrays_alone(context, site)
    if not of_theirs:
        ways += [holds_twice, beside_its_optimizer, returned_twice]
    found = ((way, why) for way in ways if (why := way(context, site)))
    way, reason = next(found, (None, ""))
    if way is None:
        return _kept_once_for_a_gradient(context, site) if of_theirs else None
    outside = state_outside(context, site) if not _goes_in_twice(context, site) else None
    if outside is not None:
        claim = str(RuleClaim.REASSIGNED_WITH_STATE.about(model=outside.model))
        evidence = Evidence(claim, Proof.PROVED, context.where(site.node))
        return Contribution(RULE.name, SharingCause.STATE_OUTSIDE, (evidence,), outside)
    owned = owned_argument(context, site)
    if owned is not None:
        message = SharingCause.NO_LONGER_PASSED.about(name=owned.argument.parameter)
        claim = str(RuleClaim.ALL_PASS.about(source=owned.argument.source))
        evidence = Evidence(claim, Proof.PROVED, context.where(site.node))
        return Contribution(RULE.name, message, (evidence,), owned.argument, options=owned.options)
    evidence = Evidence(str(reason), Proof.PROVED, context.where(site.node))
    kept_once = _kept_once(context, site)
    if isinstance(kept_once, Contribution):
        return kept_once
    # That nobody can tell is no evidence.
    told = kept_once if isinstance(reason, Untold) else (evidence, *kept_once)
    stay = no_pytrees(context, values_at(context, site))
    cause = SharingCause.TAKEN_APART if site.spec.is_loop else SharingCause.NO_TREE
    why = cause.about(reason="; ".join([str(reason), *(each.claim for each in stay)]))
    told += stay
    if all(each.permission is None for each in kept_once):
        values = values_at(context, site)
        told += (*drops_wanted(context, values), *forks_wanted(context, values))
    if site.transform in _WITHOUT_PIN:
        return Manual(RULE.name, _WITHOUT_PIN[site.transform].about(reason=why), told)
    bare = site.form == "object" or site.transform in SPLITTERS
    steps = (NextStep.MAKE_TREE if stay else _step(site, way, reason),)
    return Pin(RULE.name, why, told, outward=True, bare=bare, sharing=not bare, ways_out=steps)


def _step(site: Site, way: _Way, reason: Reason) -> NextStep:
    """What a person does about something shared, or that may be."""
    if not isinstance(reason, Untold):
        return _STEPS[way]
    if way is holds_twice and site.form != "object":
        return NextStep.OBSERVE
    # A loop copies in tree mode what its body gets twice, and does not raise.
    return _STEPS[way] if site.spec.is_loop else NextStep.IGNORE_IF_ONCE


def _gets_a_state(context: FileContext, site: Site) -> bool:
    """Whether a function is given what `nnx.state` gives, which has each Variable once.

    Graph mode lists it under one of its names, and tree mode raises there.
    """
    match site.operands:
        case (ast.Call(func=func), *_) if site.form == "object":
            return context.tree.nnx_name(func) in {"state", "compat.state"}
    return False


def _kept_once_for_a_gradient(context: FileContext, site: Site) -> Contribution | None:
    """What is shared in a Module that a gradient is taken of: other rules pin that."""
    if not holds_twice(context, site):
        return None
    kept_once = _kept_once(context, site)
    if not isinstance(kept_once, Contribution):
        return None
    return dataclasses.replace(kept_once, settles=_OF_GRADIENTS)


def _kept_once(context: FileContext, site: Site) -> Contribution | tuple[Evidence, ...]:
    """How an Rngs that parts of an object share is kept in one place; else why it cannot be."""
    lifted = lifted_rngs(context, site, RULE.name)
    if lifted is None or isinstance(lifted, Contribution):
        return lifted or ()
    kept = first_keeps(context, site, RULE.name)
    if isinstance(kept, Contribution):
        return kept
    return (lifted,) if kept is None or lifted.permission is None else (kept, lifted)


def _goes_in_twice(context: FileContext, site: Site) -> bool:
    """Whether there is more to it than what is returned."""
    ways = (given_twice, holds_twice, beside_its_optimizer)
    if any(way(context, site) for way in ways):
        return True
    sharing = context.analysis.sharing
    scopes = function_scopes(context, site)
    returned = [(s, each) for s in scopes for each in context.project.function(s).returns]
    parts = [
        (s, p) for s, e in returned for p in (e.elements if isinstance(e, ir.Sequence) else (e,))
    ]
    return any(sharing.of_expression(scope, part) for scope, part in parts)


def _of_arrays_alone(context: FileContext, site: Site) -> bool:
    """Whether a gradient is taken with respect to nothing that could be an object."""
    argnums = argnums_of(context, site, "")
    values = [argument_values(context, site, target.index) for target in argnums.targets]
    return not argnums.unknown and all(v and v <= ARRAY | PLAIN for v in values)


_STEPS: dict[_Way, NextStep] = {
    given_twice: NextStep.PASS_ONCE,
    holds_twice: NextStep.KEEP_ONCE,
    beside_its_optimizer: NextStep.PASS_HOLDER,
    returned_twice: NextStep.RETURN_ONCE,
}
#: Rules that say of a gradient that its Module holds something twice.
_OF_GRADIENTS = frozenset({"module-gradient", "diff-state"})
_WITHOUT_PIN = {
    "ModelAndOptimizer": SharingCause.TAKES_NO_MODE,
    "ToLinen": SharingCause.USED_AROUND,
    "call": SharingCause.CALLED_AROUND,
    **dict.fromkeys(of_nnx(lambda t: t.collects), SharingCause.CALLED_AROUND),
}
_KINDS = frozenset({"module", "metric", "variable", "rngs", "optimizer"})
_TRANSFORMS = (
    GRADIENTS
    | TRACING
    | SPLITTERS
    | CONTROL_FLOW
    | (OBJECT_FUNCTIONS.keys() - {"merge"})
    | frozenset(METHODS.values())
    | {OTHER_PACKAGE}
)
RULE = Rule(
    "shared-reference",
    _TRANSFORMS,
    decide,
    way_out=(
        "keep the shared object in one place, and pass it to the others when you call them; make "
        "a class with pytree=False a pytree, with nnx.data around its lists of Modules"
    ),
)
