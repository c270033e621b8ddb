"""Structure that changes inside a transform: new, replaced or static attributes, `train()`, `sow`.

What it finds
-------------
Functions that create, replace, delete, or set attributes of an object that they get, themselves or
in what they call: `self.cache = ...`, `model.train()`, `self.sow(...)`, `nnx.pop(...)`. These
functions count:

- functions under `jit`, `vmap`, `pmap`, `scan`, `remat`, `shard_map`, `cond`, `switch`,
  `while_loop`, or `fori_loop`, or a transform that code passes on as a value (`TRANSFORMS[name]`)
- losses, for the arguments that are not differentiated
- `__init__` under a transform
- functions that `split_rngs` or `fork_rngs` decorates: in tree mode they get a copy of the object
- functions that `nnx.bridge.lazy_init` runs on an object that may hold a `ToNNX`, because its first
  call makes Variables

A transform that only gets a name (`jit = nnx.jit if fast else jax.jit`), or is among the values
that a test runs with, counts by what the code in sight applies it to.

Why it matters
--------------
Tree mode writes back the values of Variables. All other changes that the function makes to the
object are silently lost when it returns (docs/semantics.md: STR-1 to STR-9, SOW-2, SOW-4,
RNG-3).

Before
------
    @nnx.jit
    def step(model, x):
        model.train()
        return model(x)

    loss = step(model, x)

After
-----
    @nnx.jit
    def step(model, x):
        return model(x)

    model.train()
    loss = step(model, x)

When it is safe
---------------
A function may set a mode first of all: by `train()`, `eval()`, `set_attributes(flag=True)`, or
`model.flag = True` with a constant. The mode is then set before each call, if all of this holds:

- The function is under `jit`, `vmap`, `scan`, `remat`, or a gradient.
- All calls are in the same file. Each is the first thing that its statement does, and passes the
  object by a name.
- The other arguments of the call do not read the flag: they are arrays, other objects, or calls of
  jax and numpy with arrays.
- No class of the project has its own `train()`, `eval()`, or setters.
- No code continues after an exception of the call.

A step that code also lowers (`step.lower(model, x).compile()`), only to read its program, still
sets the mode itself, too.

A method may replace a Variable with a new one of the same type (`self.loss = Loss(value)`). The
Variable is then set in place (`self.loss.set_value(value)`), if all of this holds:

- The constructor makes the first one, of arrays and without metadata, before any method runs.
- No other class and no other code sets or pops it, or keeps the Variable itself.
- No code takes a State or a second object that has it, and may see the new value there. `--allow
  kept-variables` assumes that none is read afterwards.

Everything else is pinned, with every transform in sight around the site. To get rid of the pin,
annotate the class, name the function, move the change out of the transform, write to the Variable
in place (`self.w[...] = v`), or keep arrays in Variables.

What it does otherwise
----------------------
Values that a function sows, or attributes that it sets to new Variables, and pops again on every
path (`aux = nnx.pop(model, Loss)` after the forward pass) are not a change. All its calls must be
in sight, and nothing sown may be on the object before, because tree mode would leave that there. If
not all calls are in sight, a jitted function, or a loss, checks that: a value that was there before
is missing after the pop. Each pop must be in the function itself, after the code that sows its
type. Code in sight must not leave such values on the object, nor make others of the type.

What happens to a copy (`model = nnx.clone(model)` first), or under `nnx.capture`, is no change. Nor
is what raises in both modes for the carry of a loop. If the function unpacks a tuple that calls
pass (`step((model, cache))`), each element counts by itself. In a loop, an element also counts if
the body returns the model in its place.

Code that depends on a false flag does not count (`if sow_weights: self.sow(...)`). The flag is one
of these:

- a parameter that the call leaves at its default of False or None
- an attribute that the constructor stores from such a parameter. The object that holds the Module
  makes it itself (`self.encoder = Encoder(rngs)`) without the flag. No code sets the attribute
  again, or puts in another Module. A file that is written to be started (`if __name__ ==
  "__main__":`) may set it: that counts in programs that import that file, or may load it at run
  time, or any object where it writes such (`pickle.dump`).
- an attribute that no object of the program has true (`if self.config.use_cache:`). All calls of
  the class leave it at False or None. No code stores to it, or gets the class as a value. A program
  is a notebook, or a script, with what it imports. Elsewhere no code outside may be able to use the
  class.

If the class of an object is unknown, the rule sees what the function itself does: `train()`,
`eval()`, `sow`, `pop`, and attributes that it sets, also through `setattr`, `object.__setattr__`,
`__dict__`, and `vars(model)`.

An unknown function that is called on the object, or gets it, may be anything in sight that accepts
such a call: `m(x)` may be any `__call__`, and `run(m)` any function of that name. A notebook runs
what it defines and imports, directly or through others, and nothing else unless that imports at run
time. Such an *unknown effect* has these outcomes:

- A pin, if one of the functions in sight changes structure. The finding names it.
- A check, if none does, the object is certainly one of nnx, and code out of sight gets it: code of
  another package, or a parameter that no call shows. A jitted function splits the object in its
  first line (`nnx.split`) and before its return, and raises if that gives something else. It must
  be decorated last, or used only by `nnx.jit(step)`, have at most one return, at the end, and not
  assign the parameter. The function over States that `module-gradient` writes checks the other
  arguments of a loss that calls pass by position.
- A pin, if no such check fits, and with `--no-trace-checks`.
- No finding in all other cases. With `--allow unknown-effects`, code out of sight never counts.

A transform of a function that no file shows is pinned where a call may pass it an object:
`nnx.jit(getattr(steps, name))`, `globals()[name]`, a parameter that no call in sight passes, or a
function of another package. So is a function that passes an object on to such a one, or calls
`exec`. A table of functions in sight (`STEPS[name]`) counts as all the functions that it holds.
`getattr(nnx, name)` is pinned where the names in sight are transforms. It is reported if they are
out of sight, and it gets a function of the project.

The rule reports code that passes on `nnx` itself (`names = vars(nnx)`, `use(nnx, step)`), a
transform of a module whose name is computed (`import_module(name).jit`), and a transform that the
text of `exec` or `eval` names.

Reference: https://flax.readthedocs.io/en/latest/flip/5310-tree-mode-nnx.html
"""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Iterator

from nnx_codemods._claims import RuleClaim
from nnx_codemods._freshness.lazy_variables import made_when_called
from nnx_codemods._gradient.argnums import argnums_of
from nnx_codemods._gradient.watched import unchecked_pops, watched_when_traced, watches
from nnx_codemods._modes.hoisted import hoisted, not_hoisted, set_at_both_places
from nnx_codemods._next_steps import NextStep, next_steps
from nnx_codemods._sown.residual_state.popped_inside import without_popped
from nnx_codemods._sown.residual_state.popped_when_traced import pops_to_check
from nnx_codemods._sown.residual_state.private_twin import not_put_back
from nnx_codemods._sown.residual_state.restored import without_restored
from nnx_codemods._unresolved.hidden_functions import hidden_function
from nnx_codemods._unresolved.known_classes import all_known
from nnx_codemods._unresolved.named_at_run_time import computed_transform, is_named_at_run_time
from nnx_codemods._unresolved.unknown_effects import explained, unknown_effects
from nnx_codemods._unresolved.unseen_functions import may_be_graph_node, seen_functions
from nnx_migrate.analysis.domain.values import (
    Scope,
    Values,
)
from nnx_migrate.analysis.effects.causes import (
    TextExecuted,
    changes_by,
    of_object,
    only_of_objects,
)
from nnx_migrate.analysis.effects.effect import Effect, worst
from nnx_migrate.analysis.effects.never_ran import NeverRan
from nnx_migrate.analysis.flax.transforms import (
    AS_VALUE,
    COMPUTED,
    CONTROL_FLOW,
    GRADIENTS,
    SPLITTERS,
    TRACING,
)
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.core.findings import Evidence, Proof
from nnx_migrate.core.permissions import Permission
from nnx_migrate.core.place import Place
from nnx_migrate.core.refusal import Cause
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import (
    Contribution,
    Decision,
    Hoist,
    Manual,
    Pin,
    Same,
    Splits,
)
from nnx_migrate.rewrite.model.functions import function_scopes, given_parameters, is_captured
from nnx_migrate.rewrite.model.rule import Rule
from nnx_migrate.rewrite.split.copies import works_on_copy

#: A function, the place and the name of a parameter, what it can be, and whether what is sown on it
#: is collected.
_Given = tuple[Scope, int | None, str, Values, bool]


@enum.unique
class StructureCause(Cause):
    """How structure that changes inside of a transform ends; {what} is told by the analysis."""

    SET_BEFORE = (
        "what the function sets first, such as train() or eval(), is set before each of its calls"
    )
    WATCHED = "a check makes sure, when {what} is traced, that it keeps the structure of {name}"
    ESCAPES = ("{how}", NextStep.CALL_NNX_BY_NAME)
    CHANGES = "the function {does} {name}: {what} ({place})"
    MAKES = "what it creates is lost: {what} ({place})"
    ALLOWED = "unknown code gets {name}{told}"


def decide(context: FileContext, site: Site) -> Decision | None:
    plan = hoisted(context).get(site)
    again = set_at_both_places(context, site)
    if isinstance(plan, Hoist) and not again:
        return _set_before(context, plan)
    decision = _decide(context, site)
    if decision is None and again:
        return Same(RULE.name, StructureCause.SET_BEFORE)
    if isinstance(decision, Pin) and plan is not None:
        evidence = (*decision.evidence, *not_hoisted(context, site))
        return dataclasses.replace(decision, evidence=evidence)
    return decision


def _set_before(context: FileContext, plan: Hoist) -> Contribution:
    """What the function sets first is set before its calls."""
    evidence = tuple(
        Evidence(str(RuleClaim.FREE_BEFORE), Proof.PROVED, context.where(statement))
        for statement in plan.statements
    )
    calls = tuple(
        Evidence(str(RuleClaim.SET_BEFORE), Proof.PROVED, context.where(call.use))
        for call in plan.calls
    )
    return Contribution(
        RULE.name, StructureCause.SET_BEFORE, evidence + calls, plan, settles=_SETTLED
    )


def _decide(context: FileContext, site: Site) -> Decision | None:
    if site.transform == AS_VALUE:
        evidence = Evidence(site.escapes, Proof.ASSUMED, context.where(site.node))
        return Manual(RULE.name, StructureCause.ESCAPES.about(how=site.escapes), (evidence,))
    if site.transform == COMPUTED:
        return computed_transform(context, site, RULE.name)
    assumed: list[tuple[str, Evidence]] = []
    hidden = hidden_function(context, site, RULE.name, _ALLOWS)
    if hidden is not None:
        if not context.options.allows(_ALLOWS):
            return hidden
        assumed += [("its arguments", each) for each in hidden.evidence]
    if site.form == "reference":
        return _allowed(assumed)
    given = tuple(_given(context, site))
    bare = site.transform in SPLITTERS  # they trace nothing, what runs in them may
    for scope, index, name, values, collected in given:
        effect = _structural(context, site, scope, index, name, values, collected)
        if effect is not None:
            seen = effect.kind == "structure"
            unseen = Evidence(effect.what, Proof.ASSUMED, effect.where, _ALLOWS)
            if not seen and context.options.allows(_ALLOWS):
                assumed.append((name, unseen))
                continue
            shown = Evidence(effect.what, Proof.PROVED, effect.where)
            told: tuple[Evidence, ...] = (shown if seen else unseen,)
            does = "changes" if seen else "may change"
            why = StructureCause.CHANGES.about(effect.where, does=does, name=name, what=effect.told)
            if effect.sows:
                told += not_put_back(context, site)
            told += _in_place_if_allowed(context, effect)
            ways = next_steps(effect.cause, name)
            return Pin(RULE.name, why, told, outward=True, bare=bare, ways_out=ways)
    made = made_when_called(context, site)
    if made is not None:
        why = StructureCause.MAKES.about(made.where, what=made.claim)
        return Pin(RULE.name, why, (made,), outward=True, bare=bare)
    return _unsure(context, site, given, bare, assumed)


def _in_place_if_allowed(context: FileContext, effect: Effect) -> tuple[Evidence, ...]:
    """What has to be allowed for a replaced Variable to be set in place, where that is all."""
    where = effect.where
    if where.module == context.tree.module:
        where = Place(where.module, context.original_line(where.line))
    keeper = context.kept_variables.get(where)
    if keeper is None:
        return ()
    return (Evidence(str(keeper), Proof.ASSUMED, None, Permission.KEPT_VARIABLES),)


def _allowed(assumed: list[tuple[str, Evidence]]) -> Same | None:
    """What somebody allows to be taken for harmless: nothing is changed for it."""
    if not assumed:
        return None
    names = " and ".join(dict.fromkeys(name for name, _ in assumed))
    why = StructureCause.ALLOWED.about(name=names, told=_ALLOWS.told)
    return Same(RULE.name, why, tuple(each for _, each in assumed))


def _unsure(
    context: FileContext,
    site: Site,
    given: tuple[_Given, ...],
    bare: bool,
    assumed: list[tuple[str, Evidence]],
) -> Decision | None:
    """What becomes of a site where code that is not known gets some of the objects."""
    watched: dict[int, tuple[str, Evidence]] = {}
    for scope, index, name, values, collected in given:
        possible = [*unknown_effects(context, site, scope, name, values, collected)]
        pops = pops_to_check(context, scope, name)
        pops &= without_restored(context, pops)
        if (not possible and not pops) or watches(context, scope, name):
            continue
        check = watched_when_traced(context, site, (scope, index, name), values, possible)
        if check is None or index is None:
            out_of_sight = all(each.by is None for each in possible)
            allows = _ALLOWS if out_of_sight else None
            why, unsure = explained(possible[0], name, allows)
            if allows is not None and context.options.allows(allows):
                assumed += [(name, each) for each in unsure]
                continue
            ways = next_steps(possible[0].effect.cause, name)
            return Pin(RULE.name, why, unsure, outward=True, bare=bare, ways_out=ways)
        watched[index] = name, check
    if not watched:
        return _allowed(assumed)
    names = " and ".join(dict.fromkeys(name for name, _ in watched.values()))
    what = "the loss" if site.spec.differentiates else "the function"
    why = StructureCause.WATCHED.about(name=names, what=what)
    checks = tuple(each for _, each in (*watched.values(), *assumed))
    return Contribution(RULE.name, why, checks, Splits((), watched=tuple(watched)))


def _given(context: FileContext, site: Site) -> Iterator[_Given]:
    """The parameters that objects come by."""
    differentiated = _differentiated(context, site)
    for scope in function_scopes(context, site) or seen_functions(context, site):
        for index, name, values in given_parameters(context, site, scope):
            if differentiated is not None and index not in differentiated:
                yield scope, index, name, values, index == 0 and is_captured(context, site)


def _differentiated(context: FileContext, site: Site) -> set[int] | None:
    """Places of the arguments that rules for gradients look at; None when they are not known."""
    if not site.spec.differentiates:
        return set()
    argnums = argnums_of(context, site, "")
    return None if argnums.unknown else {target.index for target in argnums.targets}


def _structural(
    context: FileContext,
    site: Site,
    scope: Scope,
    index: int | None,
    name: str,
    values: Values,
    collected: bool,
) -> Effect | None:
    again = {context.where(each) for each in set_at_both_places(context, site)}
    left = frozenset(e for e in context.effects_of(scope, name) if e.where not in again)
    if NeverRan(context.project).changed(scope, name):
        left = frozenset(each for each in left if each.kind != "unknown")
    if index is not None:
        left = without_restored(context, left)
        left = without_popped(context, scope, name, left)
        left = unchecked_pops(context, site, (scope, index, name), values, left)
    effects = [
        e
        for e in left
        if (e.kind == "structure" or is_named_at_run_time(e.cause))
        # Streams are split in place, in Variables that are given back.
        and not changes_by(e.cause, *SPLITTERS)
        and not (collected and e.collected)
    ]
    by_text = any(isinstance(e.cause, TextExecuted) for e in effects)
    copied = not by_text and works_on_copy(context, site, name, frozenset({"clone", "view"}))
    if not effects or copied or not may_be_graph_node(context, values):
        return None
    if not all_known(values):
        in_lists = all_known(values, in_lists=True)
        told = of_object if in_lists else only_of_objects
        effects = [e for e in effects if told(e.cause)]
    return worst(effects)


#: What has to be allowed for code out of sight to be taken for harmless.
_ALLOWS = Permission.UNKNOWN_EFFECTS
#: Rules that keep a site in graph mode because of what the function sets.
_SETTLED = frozenset({"structural-update", "module-gradient", "diff-state"})
_TRANSFORMS = GRADIENTS | TRACING | SPLITTERS | CONTROL_FLOW | {COMPUTED, AS_VALUE}
RULE = Rule(
    "structural-update",
    _TRANSFORMS,
    decide,
    way_out="do it outside of the transform, or write to a Variable that __init__ makes",
)
