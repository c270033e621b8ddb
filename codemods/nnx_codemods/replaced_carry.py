"""A scan whose body returns a new State or Variable as its carry, and not the one that it got.

What it finds
-------------
Bodies of `nnx.scan` that carry an `nnx.State` or a Variable and return a new one in its place:
`jax.tree.map(f, state)`, `nnx.Param(v + x)`.

Why it matters
--------------
Graph mode carries the values. Tree mode carries the Variables themselves, and raises "scan Variable
identity must be preserved across iterations" for others (docs/semantics.md: SCN-3).

Before
------
    def body(state, x):
        return jax.tree.map(lambda leaf: leaf + x, state), x

    state, ys = nnx.scan(body)(state, xs)

After
-----
    state, ys = nnx.compat.scan(body)(state, xs)

When it is safe
---------------
Always: the `compat` name does in both modes what graph mode does. To get rid of it, use
`jax.lax.scan` where nothing else in the body needs nnx, or change the Variables in place.

What it does otherwise
----------------------
What a helper of the body returns is not followed: what is missed raises, and is not silent.

Reference: https://flax.readthedocs.io/en/latest/flip/5310-tree-mode-nnx.html
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from nnx_codemods._claims import RuleClaim
from nnx_migrate.analysis.domain.containers import any_leaf
from nnx_migrate.analysis.domain.values import STATE, Instance, Scope, Value, Values
from nnx_migrate.analysis.flax.transforms import of_nnx
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.core.findings import Evidence, Proof
from nnx_migrate.core.place import Place
from nnx_migrate.core.refusal import Cause
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import Decision, Pin
from nnx_migrate.rewrite.model.functions import argument_values, function_scopes
from nnx_migrate.rewrite.model.rule import Rule


class ReplacedCause(Cause):
    """Why a carry does not fit."""

    OTHER_VARIABLES = "the body returns Variables other than those it gets ({place})"


def decide(context: FileContext, site: Site) -> Decision | None:
    if site.form == "reference":
        return None
    place = _place_of_carry(context, site, "in_axes")
    if not _holds_variables(context, argument_values(context, site, place or 0)):
        return None
    for scope in function_scopes(context, site):
        for returned in context.project.function(scope).returns:
            made = _made_anew(context, scope, _carried(context, site, returned))
            if made is not None:
                where = Place(scope.module, made.line)
                evidence = Evidence(str(RuleClaim.NEW_CARRY), Proof.PROVED, where)
                return Pin(RULE.name, ReplacedCause.OTHER_VARIABLES.about(where), (evidence,))
    return None


def _place_of_carry(context: FileContext, site: Site, option: str) -> int | None:
    """The place of `nnx.Carry` in an option; None when it is all of it."""
    axes = site.options.get(option)
    if isinstance(axes, ast.Tuple):
        names = [context.tree.nnx_name(element) for element in axes.elts]
        return names.index("Carry") if "Carry" in names else 0
    return 0 if axes is None else None


def _carried(context: FileContext, site: Site, returned: ir.Expr) -> ir.Expr:
    """The carry in what the body returns."""
    place = _place_of_carry(context, site, "out_axes")
    if place is None or not isinstance(returned, ir.Sequence) or place >= len(returned.elements):
        return returned
    return returned.elements[place]


def _made_anew(context: FileContext, scope: Scope, carried: ir.Expr) -> ir.Call | None:
    """The call that makes a State or Variable which is returned as the carry, or a part of it."""
    for part in _parts(context, scope, carried, frozenset()):
        if not isinstance(part, ir.Call) or context.project.nnx_name(scope, part.func) in _VIEWS:
            continue
        if _holds_variables(context, context.evaluator.values(scope, part)):
            return part
    return None


def _parts(
    context: FileContext, scope: Scope, expr: ir.Expr, seen: frozenset[str]
) -> Iterator[ir.Expr]:
    match expr:
        case ir.Sequence(elements=parts) | ir.Choice(options=parts):
            for part in parts:
                yield from _parts(context, scope, part, seen)
        case ir.Name(id=name) if name not in seen:
            for value in context.project.function(scope).bindings.get(name, ()):
                yield from _parts(context, scope, value, seen | {name})
        case _:
            yield expr


def _holds_variables(context: FileContext, values: Values) -> bool:
    def is_of_variables(value: Value) -> bool:
        if not isinstance(value, Instance):
            return value in STATE
        return context.evaluator.hierarchy.kind(value.class_name) in {"variable", "state"}

    return any_leaf(values, is_of_variables)


_VIEWS = frozenset({"state", "split", "variables", "pop"})
RULE = Rule(
    "replaced-carry",
    of_nnx(lambda t: t.maps_axes and t.carries),
    decide,
    way_out="write to the carried Variables (v[...] = new) instead of replacing them",
)
