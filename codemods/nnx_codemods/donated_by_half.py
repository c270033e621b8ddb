"""Donation by number or by name alone: `donate_argnums` without `donate_argnames`, or the reverse.

What it finds
-------------
`nnx.jit` with exactly one of `donate_argnums` and `donate_argnames`, whose calls do not show that
they pass the donated arguments in the same way.

Why it matters
--------------
In tree mode an argument that is donated by name and passed by position (or the reverse) is
donated but not given back: every Variable that the function did not change holds a deleted buffer
afterwards, and the next use of the object raises (docs/semantics.md: JIT-A).

Before
------
    @nnx.jit(donate_argnames=("model", "optimizer"))
    def train_step(model, optimizer, batch): ...

After
-----
    @nnx.jit(donate_argnames=("model", "optimizer"), donate_argnums=(0, 1))
    def train_step(model, optimizer, batch): ...

When it is safe
---------------
The signature of the function is known. With both given the call may pass the arguments either
way, in both modes.

What it does otherwise
----------------------
`nnx.compat.jit` donates as before. The rule writes it, too, where it cannot see the function or the
option.

Reference: https://flax.readthedocs.io/en/latest/flip/5310-tree-mode-nnx.html
"""

from __future__ import annotations

import ast
import enum

from nnx_codemods._claims import RuleClaim
from nnx_codemods._next_steps import NextStep
from nnx_migrate.analysis.domain.values import ARRAY, PLAIN, Scope
from nnx_migrate.analysis.flax.transforms import of_nnx
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.core.findings import Evidence, Proof
from nnx_migrate.core.refusal import Cause
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import (
    Contribution,
    Decision,
    Pin,
    Same,
)
from nnx_migrate.rewrite.model.functions import argument_values, function_scopes, parameter_at
from nnx_migrate.rewrite.model.rule import Rule


@enum.unique
class DonationCause(Cause):
    """How a donation by half ends."""

    OPTIONS_HIDDEN = (
        "it may donate arguments: some of its options are unknown",
        NextStep.WRITE_OPTIONS,
    )
    FUNCTION_HIDDEN = ("the code does not show what it jits", NextStep.JIT_BY_NAME)
    ARGUMENTS_HIDDEN = (
        "the code does not show which arguments are donated",
        NextStep.WRITE_DONATED,
    )
    BY_NAME_ONLY = "donated by name, and there is no other way to pass it"
    ARRAYS_ONLY = "only arrays are donated"
    BY_POSITION_ONLY = "donated by number, and passed by position in every call"
    DONATED_BOTH_WAYS = "donated by number and by name, which covers both ways to call it"


_NUMBERS, _NAMES = "donate_argnums", "donate_argnames"


def decide(context: FileContext, site: Site) -> Decision | None:
    given = {_NUMBERS, _NAMES} & site.options.keys()
    if not given and not site.complete and site.form != "reference":
        return Pin(RULE.name, DonationCause.OPTIONS_HIDDEN)
    if len(given) != 1:
        return None
    if site.form == "reference":
        return Pin(RULE.name, DonationCause.FUNCTION_HIDDEN, bare=True)
    (option,) = given
    items = _literals(context, site.options[option])
    scopes = function_scopes(context, site)
    if items is None or len(scopes) != 1:
        return Pin(RULE.name, DonationCause.ARGUMENTS_HIDDEN)
    names, by_name_only = _parameters(context, site, scopes[0])
    if items and set(items) <= by_name_only:
        return Same(RULE.name, DonationCause.BY_NAME_ONLY)
    places = _places(items, names)
    if places is None:
        return Pin(RULE.name, DonationCause.ARGUMENTS_HIDDEN)
    if all(argument_values(context, site, place) <= ARRAY | PLAIN for place in places):
        return Same(RULE.name, DonationCause.ARRAYS_ONLY)
    if option == _NUMBERS and _all_positional(context, site, max(places, default=0)):
        return Same(RULE.name, DonationCause.BY_POSITION_ONLY)
    evidence = Evidence(
        str(RuleClaim.DONATED.about(names=", ".join(names[p] for p in places))),
        Proof.PROVED,
        context.where(site.node),
    )
    other = _NAMES if option == _NUMBERS else _NUMBERS
    texts = [repr(names[p]) if other == _NAMES else str(p) for p in places]
    text = texts[0] if len(texts) == 1 else f"({', '.join(texts)})"
    return Contribution(
        RULE.name,
        DonationCause.DONATED_BOTH_WAYS,
        (evidence,),
        options={other: text.replace("'", '"')},
    )


def _parameters(context: FileContext, site: Site, scope: Scope) -> tuple[list[str], set[str]]:
    """Names of the parameters that a call can pass by position, and of the others."""
    parameters = context.project.function(scope).parameters
    names = [p.name for p in parameters if p.kind == "positional"]
    first = parameter_at(context, site, scope, 0)
    names = names[names.index(first) :] if first in names else []
    return names, {p.name for p in parameters if p.kind == "keyword"}


def _literals(context: FileContext, node: ast.expr) -> list[int | str] | None:
    if isinstance(node, ast.Name):
        assigned = context.tree.assigned_value(context.tree.scope(node), node.id)
        node = assigned[0] if assigned is not None else node
    elements = node.elts if isinstance(node, ast.Tuple | ast.List) else [node]
    found: list[int | str] = []
    for element in elements:
        value = _literal(element)
        if value is None:
            return None
        found.append(value)
    return found


def _literal(node: ast.expr) -> int | str | None:
    try:
        value = ast.literal_eval(node)
    except ValueError:
        return None
    return value if isinstance(value, int | str) else None


def _places(items: list[int | str], names: list[str]) -> list[int] | None:
    places = []
    for item in items:
        if isinstance(item, str) and item in names:
            places.append(names.index(item))
        elif isinstance(item, int) and -len(names) <= item < len(names):
            places.append(item % len(names))
        else:
            return None
    return places


def _all_positional(context: FileContext, site: Site, last: int) -> bool:
    """Whether every call in the project passes the arguments up to `last` by position."""
    scopes = function_scopes(context, site)
    calls = [call for scope in scopes for _, call, _ in context.evaluator.callers.of(scope)]
    return bool(calls) and all(_is_positional(call, last) for call in calls)


def _is_positional(call: ir.Call, last: int) -> bool:
    return len(call.args) > last and not any(isinstance(a, ir.Starred) for a in call.args)


RULE = Rule(
    "donated-by-half",
    of_nnx(lambda t: t.donates),
    decide,
    project_words=frozenset({_NUMBERS, _NAMES}),
    way_out="declare donated arguments in both ways: donate_argnums and donate_argnames",
)
