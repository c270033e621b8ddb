"""Donation by number or by name alone: `donate_argnums` without `donate_argnames`, or the reverse.

What it finds
-------------
`nnx.jit` with exactly one of `donate_argnums` and `donate_argnames`, whose calls do not show that
they pass the donated arguments in the same way.

Why it matters
--------------
In tree mode an argument that is donated by name and passed by position (or the reverse) is
donated but not given back: every Variable that the function did not change holds a deleted buffer
afterwards, and the next use of the object raises (SEMANTICS JIT-A).

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
`nnx.compat.jit` donates as before.

Reference: https://flax.readthedocs.io/en/latest/flip/5310-tree-mode-nnx.html
"""

from __future__ import annotations

import ast

from nnx_migrate.facts import ir
from nnx_migrate.facts.sites import Site
from nnx_migrate.facts.values import ARRAY, PLAIN
from nnx_migrate.outcomes import Evidence, Proof
from nnx_migrate.rewrite.context import FileContext
from nnx_migrate.rewrite.functions import argument_values, function_scopes
from nnx_migrate.rewrite.plan import Contribution, Decision, Pin, Same
from nnx_migrate.rewrite.rule import Rule

_NUMBERS, _NAMES = "donate_argnums", "donate_argnames"


def decide(context: FileContext, site: Site) -> Decision | None:
    given = {_NUMBERS, _NAMES} & site.options.keys()
    if site.form == "reference" or len(given) != 1:
        return None
    (option,) = given
    items = _literals(site.options[option])
    scopes = function_scopes(context, site)
    if items is None or len(scopes) != 1:
        return Pin(RULE.name, "which arguments are donated cannot be read from the code")
    function = context.project.function(scopes[0])
    names = [p.name for p in function.parameters if p.kind == "positional"]
    places = _places(items, names)
    if places is None:
        return Pin(RULE.name, "which arguments are donated cannot be read from the code")
    if all(argument_values(context, site, place) <= ARRAY | PLAIN for place in places):
        return Same(RULE.name, "only arrays are donated")
    if option == _NUMBERS and _all_positional(context, site, max(places, default=0)):
        return Same(RULE.name, "donated by number, and passed by position in every call")
    evidence = Evidence(
        f"the donated parameters are {', '.join(names[p] for p in places)}",
        Proof.PROVED,
        context.where(site.node),
    )
    other = _NAMES if option == _NUMBERS else _NUMBERS
    texts = [repr(names[p]) if other == _NAMES else str(p) for p in places]
    text = texts[0] if len(texts) == 1 else f"({', '.join(texts)})"
    return Contribution(
        RULE.name,
        "donated by number and by name, so that it holds for both ways to call it",
        (evidence,),
        options={other: text.replace("'", '"')},
    )


def _literals(node: ast.expr) -> list[int | str] | None:
    elements = node.elts if isinstance(node, ast.Tuple | ast.List) else [node]
    found: list[int | str] = []
    for element in elements:
        if not isinstance(element, ast.Constant) or not isinstance(element.value, int | str):
            return None
        found.append(element.value)
    return found


def _places(items: list[int | str], names: list[str]) -> list[int] | None:
    places = []
    for item in items:
        if isinstance(item, str) and item in names:
            places.append(names.index(item))
        elif isinstance(item, int) and 0 <= item < len(names):
            places.append(item)
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


_JIT = frozenset({"jit"})
RULE = Rule(
    "donated-by-half",
    _JIT,
    decide,
    words=_JIT,
    project_words=frozenset({_NUMBERS, _NAMES}),
)
