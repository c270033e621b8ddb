"""Arguments bound ahead of time: `nnx.cached_partial`.

What it finds
-------------
Every use of `nnx.cached_partial`.

Why it matters
--------------
It exists in graph mode only: in tree mode it raises a ValueError (docs/semantics.md: JIT-B).

Before
------
    step = nnx.cached_partial(train_step, model, optimizer)

After
-----
    step = functools.partial(train_step, model, optimizer)

`cached_partial` binds copies, which share the Variables of what it is given: `model.eval()` and
attributes that are set on the model later do not reach the function, and what the function gives
back is the copy. Where that may be seen, the copies are made in sight:

    step = functools.partial(train_step, nnx.clone(model, variables=False), optimizer)

When it is safe
---------------
The results are the same in both modes. An object is bound without a copy where it has a name in the
function around, nothing there changes its structure, the partial is only called there, and the
function returns nothing of it. What `cached_partial` saved is time per call: in
graph mode the call gets slower, in tree mode it is about as fast as it was. Code that need not
run in graph mode any more can go on to `nnx.jit_partial`, which is the fastest.

What it does otherwise
----------------------
It is reported as manual work where `functools` means something else in the file, or where the code
does not show the options or the function. The same goes for an object that is bound twice, or
passed to the partial again, because tree mode refuses that.

Reference: https://flax.readthedocs.io/en/latest/flip/5310-tree-mode-nnx.html
"""

from __future__ import annotations

import ast
import enum
from collections.abc import Iterator

from nnx_codemods._claims import RuleClaim
from nnx_codemods._next_steps import NextStep
from nnx_codemods._unresolved.unseen_functions import may_be_graph_node
from nnx_migrate.analysis.callgraph.binding import parameter_at
from nnx_migrate.analysis.domain.values import FunctionValue
from nnx_migrate.analysis.flax.transforms import of_nnx
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.core.findings import Evidence, Proof
from nnx_migrate.core.refusal import Cause
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import (
    Contribution,
    Decision,
    Manual,
    Replacement,
)
from nnx_migrate.rewrite.model.functions import function_values
from nnx_migrate.rewrite.model.rule import Rule


@enum.unique
class BindingCause(Cause):
    """How arguments that are bound ahead of time end."""

    BOUND_HIDDEN = "cannot tell what it binds"
    SOME_HIDDEN = "cannot tell everything that it binds"
    GOES_IN_TWICE = (
        "tree mode does not allow shared objects, and {argument} is passed twice",
        NextStep.PASS_ONCE,
    )
    BOUND = "functools.partial binds the arguments; nnx.jit_partial is faster once the flip is done"
    BOUND_COPIES = (
        "functools.partial binds the arguments; it still copies them, because their structure "
        "may change later; nnx.jit_partial is faster once the flip is done"
    )


def decide(context: FileContext, site: Site) -> Decision | None:
    if not isinstance(site.node, ast.Call) or site.form != "call":
        return Manual(RULE.name, BindingCause.BOUND_HIDDEN)
    if any(isinstance(first, ast.Starred) for first in site.node.args[:1]):
        return Manual(RULE.name, BindingCause.BOUND_HIDDEN)
    bound = site.node.args[1:]
    again = _passed_again(context, site, bound)
    if again is not None:
        evidence = Evidence(
            str(RuleClaim.PASSED_TWICE.about(argument=ast.unparse(again))), Proof.PROVED
        )
        reason = BindingCause.GOES_IN_TWICE.about(argument=ast.unparse(again))
        return Manual(RULE.name, reason, (evidence,))
    copied = tuple(
        place
        for place, node in enumerate(bound, 1)
        if may_be_graph_node(context, context.values(_whole(node)))
        and not _stays_as_it_is(context, site, node, place - 1)
    )
    if any(isinstance(site.node.args[place], ast.Starred) for place in copied):
        return Manual(RULE.name, BindingCause.SOME_HIDDEN)
    claim = str(RuleClaim.PARTIAL_SAME)
    return Contribution(
        RULE.name,
        BindingCause.BOUND_COPIES if copied else BindingCause.BOUND,
        (Evidence(claim, Proof.PROVED),),
        Replacement("functools.partial", copied),
    )


def _whole(node: ast.expr) -> ast.expr:
    return node.value if isinstance(node, ast.Starred) else node


def _passed_again(context: FileContext, site: Site, bound: list[ast.expr]) -> ast.expr | None:
    """What is bound and goes in beside that, by the same name."""
    seen: set[str] = set()
    passed = [arg for use in site.uses for arg in use.args]
    parts = [*bound, *(part for each in passed for part in _parts(each))]
    for node in parts:
        text = ast.dump(_whole(node))
        if not may_be_graph_node(context, context.values(_whole(node))):
            continue
        if isinstance(node, ast.Name | ast.Attribute) and text in seen:
            return node
        if node in bound:
            seen.add(text)
    return None


def _parts(node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, ast.Tuple | ast.List):
        for element in node.elts:
            yield from _parts(element)
    else:
        yield node


def _stays_as_it_is(context: FileContext, site: Site, node: ast.expr, index: int) -> bool:
    """Whether nobody can tell a bound object from the copy that cached_partial binds."""
    if not isinstance(node, ast.Name) or site.escapes:
        return False
    scope = context.scope(node)
    own = {binding.scope for binding in context.project.bindings(scope, node.id)}
    if own != {scope} or context.tree.function_around(node) is None:
        return False
    if context.project.function(scope).yields:  # others run between its calls
        return False
    around = context.effects_of(scope, node.id)
    if any(effect.kind == "structure" for effect in around):
        return False
    values = function_values(context, site)
    return bool(values) and all(
        isinstance(value, FunctionValue) and not _gives_back(context, value, index)
        for value in values
    )


def _gives_back(context: FileContext, value: FunctionValue, index: int) -> bool:
    """Whether a function returns a part of its argument at a place, or keeps it."""
    parameter = parameter_at(context.project.function(value.scope), value, index)
    if parameter is None or parameter.kind != "positional":
        return True
    effects = context.effects_of(value.scope, parameter.name)
    return any(effect.kind == "escape" for effect in effects)


_NAMES = of_nnx(lambda t: t.is_site and t.binds)
RULE = Rule(
    "cached-partial",
    _NAMES,
    decide,
    project_words=_NAMES,
    way_out="pass the arguments at each call, or bind them with functools.partial",
)
