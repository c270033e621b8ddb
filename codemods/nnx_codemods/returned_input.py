"""Objects that go into a transform and come out again: `return model`, `return nnx.state(model)`.

What it finds
-------------
Functions under `jit`, `vmap`, `pmap`, `remat`, `shard_map`, `cond`, and `switch` that return a
Module, Optimizer, Rngs, or State that they got, a part of it, or a State of it. They return it as
it is, in a container, in a new Module, merged from its State, or through functions that return it.
A reference of jax (`jax.new_ref`) that goes in and comes out counts too.

Why it matters
--------------
Graph mode returns the same object. In tree mode, a Variable may occur only once among inputs and
outputs, so such a function raises a ValueError (docs/semantics.md: OUT-1, OUT-2). A function that
`split_rngs` or `fork_rngs` decorates returns the copy that it got, with its streams still split
(RNG-3).

Before
------
    @nnx.jit
    def step(model, x):
        model.count[...] += 1
        return model, model(x)

    model, y = step(model, x)

After
-----
    @nnx.jit
    def step(model, x):
        model.count[...] += 1
        return model(x)

    y = step(model, x)

When it is safe
---------------
A function under `jit` as its only decorator no longer returns a Module, Optimizer, Rngs, or Metric
that it got and never rebinds. The transform updates what it gets, so the caller has that object
already. All calls must be in the same file, and no code outside may call the function. Each call
must assign the object to the name that it passes, or drop the result.

Else the function gets a private name, and one that returns all has its name:

    def step(model, x):
        result = _step(model, x)
        return model, result

The module itself must define the function, once. It must not call itself, and no code in sight may
use what only the result of a transform has (`step.lower`). All its returns must have the same form.

The branches of `cond` and `switch` return less, too (`loss = nnx.cond(due, update, skip, model)`
for `model, loss = ...`). They must be lambdas, or functions of the file that only the call uses.
All must return the same operands at the same places, and the statement must bind each to the name
that it passes. An operand can be a frozen dataclass of `flax.struct` or a NamedTuple that holds
such objects: no branch may replace anything in it, and its other fields must be annotated with
`jax.Array`, and get nothing else in sight.

All else is pinned. To get rid of such a pin, return only what was computed, and go on using the
argument.

What it does otherwise
----------------------
An argument that may or may not be such an object stays as it is. So does one whose annotation
allows a number, too (`alpha: Alpha | float`), and which the function returns only as the other
branch of a call of it: `alpha() if tuned else alpha`.

Reference: https://flax.readthedocs.io/en/latest/flip/5310-tree-mode-nnx.html
"""

from __future__ import annotations

import enum

from nnx_codemods._claims import RuleClaim
from nnx_codemods._evidence import is_graph_node
from nnx_codemods._freshness.called_otherwise import gives_number
from nnx_codemods._freshness.returned_arguments import returned_again
from nnx_codemods._freshness.returned_operands import operands_again
from nnx_codemods._next_steps import NextStep
from nnx_migrate.analysis.domain.values import (
    STATE,
    ContainerValue,
    Instance,
    Scope,
    TupleValue,
    Value,
    Values,
)
from nnx_migrate.analysis.flax.transforms import SPLITTERS, of_nnx
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.core.findings import Evidence, Proof
from nnx_migrate.core.place import Place
from nnx_migrate.core.refusal import Cause
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import Contribution, Decision, Pin
from nnx_migrate.rewrite.model.functions import function_scopes, given_parameters
from nnx_migrate.rewrite.model.rule import Rule
from nnx_migrate.rewrite.split.copies import works_on_copy


@enum.unique
class ReturnedCause(Cause):
    """How an object ends that goes in and comes out."""

    NO_LONGER_RETURNED = (
        "{names}: no longer returned, because all callers use the object that they pass"
    )
    GOES_IN_AND_OUT = (
        "{name}, or a part of it, is both argument and result ({place})",
        NextStep.RETURN_OTHERS,
    )


def decide(context: FileContext, site: Site) -> Decision | None:
    if site.form == "reference":
        return None
    returned = {
        (scope, name): values
        for scope in function_scopes(context, site)
        for _, name, values in given_parameters(context, site, scope)
        if not works_on_copy(context, site, name)
        and context.analysis.sharing.passed.gives_back(
            scope, name, _is_returned_whole(context, values)
        )
        and not gives_number(context, scope, name)
    }
    if not returned:
        return None
    scope, name = next(iter(returned))
    where = _where_it_leaves(context, scope, name)
    evidence = Evidence(str(RuleClaim.RETURNED.about(name=name)), Proof.PROVED, where)
    names = tuple(dict.fromkeys(name for _, name in returned))
    # Of a State or another tree the caller has a copy, which what is returned may be more than.
    same = all(is_graph_node(context, values) for values in returned.values())
    again = (returned_again(context, site, frozenset(names)) if same else None) or operands_again(
        context, site, frozenset(returned)
    )
    if again is not None:
        claim = str(RuleClaim.REASSIGNED)
        seen = Evidence(claim, Proof.PROVED, context.where(site.node))
        message = ReturnedCause.NO_LONGER_RETURNED.about(names=" and ".join(names))
        return Contribution(RULE.name, message, (evidence, seen), again)
    reason = ReturnedCause.GOES_IN_AND_OUT.about(where, name=name)
    return Pin(RULE.name, reason, (evidence,), bare=site.transform in SPLITTERS)


def _where_it_leaves(context: FileContext, scope: Scope, name: str) -> Place:
    function = context.project.function(scope)
    effects = context.effects_of(scope, name)
    known = (effect.where for effect in effects if effect.kind == "escape" and effect.where)
    return min(known, default=Place(scope.module, function.line))


def _is_returned_whole(context: FileContext, values: Values) -> bool:
    """Whether each value holds a graph node or a State."""
    return bool(values) and all(_holds_graph_node(context, value) for value in values)


def _holds_graph_node(context: FileContext, value: Value) -> bool:
    match value:
        case ContainerValue(element=element):
            return _is_returned_whole(context, element)
        case TupleValue(elements=elements):
            return any(_is_returned_whole(context, part) for part in elements)
        case _:
            alone: Values = frozenset({value})
            if isinstance(value, Instance) and context.evaluator.hierarchy.is_plain_tree(
                value.class_name
            ):
                return bool(context.analysis.contents.of(alone).variables)
            return is_graph_node(context, alone) or alone == STATE


_TRACING = of_nnx(lambda t: t.traces and not t.carries and not t.differentiates)
RULE = Rule(
    "returned-input",
    _TRACING | SPLITTERS,
    decide,
    way_out="return only computed values: the Variables of the object are updated in place",
)
