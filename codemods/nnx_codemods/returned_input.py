"""Objects that go into a transform and come out again: `return model`, `return nnx.state(model)`.

What it finds
-------------
Functions under `jit`, `vmap`, `pmap`, `remat`, `shard_map`, `cond` and `switch` that return a
Module, Optimizer, Rngs or State that they were given, a part of it, or a State of it, in their own
return statements.

Why it matters
--------------
Graph mode hands the same object back. In tree mode a Variable may occur once in what goes in and
comes out: it raises a ValueError (SEMANTICS OUT-1, OUT-2). Under `split_rngs` and `fork_rngs` as
decorators the copy comes out that the function was given, its streams still split (RNG-3).

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
from nnx_migrate.facts import ir
from nnx_migrate.facts.sites import Site
from nnx_migrate.facts.transforms import SPLITTERS
from nnx_migrate.facts.values import (
    STATE,
    ClassValue,
    ContainerValue,
    Instance,
    Scope,
    TupleValue,
    Value,
    Values,
)
from nnx_migrate.outcomes import Evidence, Proof
from nnx_migrate.rewrite.cloning import works_on_copy
from nnx_migrate.rewrite.context import FileContext
from nnx_migrate.rewrite.functions import function_scopes, given_parameters
from nnx_migrate.rewrite.plan import Decision, Pin
from nnx_migrate.rewrite.rule import Rule


def decide(context: FileContext, site: Site) -> Decision | None:
    if site.form == "reference":
        return None
    for scope in function_scopes(context, site):
        for _, name, values in given_parameters(context, site, scope):
            if works_on_copy(context, site, name):
                continue
            escapes = [e for e in context.analysis.effects.of(scope, name) if e.kind == "escape"]
            if not escapes or not _returns_directly(context, scope, name):
                continue
            where = min(escape.where for escape in escapes)
            if _is_returned_whole(context, values):
                evidence = Evidence(f"{name} is returned", Proof.PROVED, where)
                reason = f"{name}, or a part of it, goes in and comes out ({where})"
                return Pin(RULE.name, reason, (evidence,), bare=site.transform in SPLITTERS)
    return None


def _returns_directly(context: FileContext, scope: Scope, name: str) -> bool:
    """Whether the function itself returns the object, not something that it calls.

    What is missed raises after the flip and changes nothing silently, so what a helper may hand
    back on one of its ways is no reason for a pin.
    """
    function = context.project.function(scope)
    return any(_refers(context, scope, value, name, frozenset()) for value in function.returns)


def _refers(
    context: FileContext, scope: Scope, expr: ir.Expr, name: str, seen: frozenset[str]
) -> bool:
    match expr:
        case ir.Name(id=other):
            if other == name:
                return True
            values = context.project.function(scope).bindings.get(other, ())
            return other not in seen and any(
                _refers(context, scope, value, name, seen | {other}) for value in values
            )
        case ir.Attribute(base=base) | ir.Unpacked(base=base) | ir.Element(base=base):
            return _refers(context, scope, base, name, seen)
        case ir.Sequence(elements=parts) | ir.Choice(options=parts):
            return any(_refers(context, scope, part, name, seen) for part in parts)
        case ir.Starred(value=value):
            return _refers(context, scope, value, name, seen)
        case ir.Call(func=func, args=args, keywords=keywords):
            kept: tuple[ir.Expr, ...] = ()
            called = {context.project.nnx_name(scope, func), context.project.dotted(scope, func)}
            if called & _VIEWS:
                kept = args[:1]
            elif "merge" in called:
                kept = args[1:]
            elif isinstance(func, ir.Attribute) and func.name in _REPLACING:
                kept = (func.base,)
            elif _makes_tree(context, scope, func):
                kept = (*args, *(value for _, value in keywords))
            return any(_refers(context, scope, part, name, seen) for part in kept)
        case _:
            return False


def _makes_tree(context: FileContext, scope: Scope, func: ir.Expr) -> bool:
    """Whether a call makes a NamedTuple or the like, which hands on what it is given."""
    hierarchy = context.evaluator.hierarchy
    return any(
        isinstance(value, ClassValue) and hierarchy.is_plain_tree(value.class_name)
        for value in context.evaluator.values(scope, func)
    )


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


#: Methods of NamedTuples, and of dataclasses of flax, that give one like it.
_REPLACING = frozenset({"_replace", "replace"})
_VIEWS = frozenset({"state", "split", "variables", "view", "to_flat_state"}) | {
    "dataclasses.replace"
}
_TRANSFORMS = (
    frozenset({"jit", "vmap", "pmap", "remat", "checkpoint", "shard_map", "checkify"})
    | {"cond", "switch"}
    | SPLITTERS
)
RULE = Rule("returned-input", _TRANSFORMS, decide)
