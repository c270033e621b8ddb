"""Objects that go into a transform and come out again: `return model`, `return nnx.state(model)`.

What it finds
-------------
Functions under `jit`, `vmap`, `pmap`, `remat`, `shard_map`, `cond` and `switch` that return a
Module, Optimizer, Rngs or State that they were given, a part of it, or a State of it: as it is, in
a container, in a new Module, put together of its State, or by way of functions that give it back.
A reference of jax (`jax.new_ref`) that goes in and comes out counts too.

Why it matters
--------------
Graph mode hands the same object back. In tree mode a Variable may occur once in what goes in and
comes out: it raises a ValueError (docs/semantics.md: OUT-1, OUT-2). Under `split_rngs` and
`fork_rngs` as decorators the copy comes out that the function was given, its streams still split
(RNG-3).

Before
------
    @nnx.jit
    def step(model, x):
        model.count[...] += 1
        return model

After
-----
    @nnx.compat.jit
    def step(model, x):
        model.count[...] += 1
        return model

When it is safe
---------------
This rule rewrites nothing; it pins. The idiom of tree mode is to return nothing and to go on
using the argument, which the transform updates.

What it does otherwise
----------------------
An argument of which it is not known whether it is such an object is left alone.

Reference: https://flax.readthedocs.io/en/latest/flip/5310-tree-mode-nnx.html
"""

from __future__ import annotations

from nnx_codemods._evidence import is_graph_node
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
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import Decision, Pin
from nnx_migrate.rewrite.model.functions import function_scopes, given_parameters
from nnx_migrate.rewrite.model.rule import Rule
from nnx_migrate.rewrite.split.copies import works_on_copy


def decide(context: FileContext, site: Site) -> Decision | None:
    if site.form == "reference":
        return None
    for scope in function_scopes(context, site):
        for _, name, values in given_parameters(context, site, scope):
            if works_on_copy(context, site, name):
                continue
            known = _is_returned_whole(context, values)
            if context.analysis.sharing.gives_back(scope, name, known):
                where = _where_it_leaves(context, scope, name)
                evidence = Evidence(f"{name} is returned", Proof.PROVED, where)
                reason = f"{name}, or a part of it, goes in and comes out ({where})"
                return Pin(RULE.name, reason, (evidence,), bare=site.transform in SPLITTERS)
    return None


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
    way_out="return what was computed and not the object: its Variables are updated in place",
)
