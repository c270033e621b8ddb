"""Arguments that a function hands to code which is not in sight, and so may change them.

Where a loss becomes a function over States anyway, that function can look at those that it is not
differentiated for: it splits such an object before and behind the loss (`nnx.split`), and raises
where that gives another structure, another Variable, or another array. A jitted function does that
at its first lines and before its return. What is known to change them, or may be code in sight that
does, stays a reason for a pin.
"""

from __future__ import annotations

import ast

from nnx_codemods._claims import RuleClaim
from nnx_codemods._evidence import is_graph_node
from nnx_codemods._gradient.loss import decide_gradient
from nnx_codemods._gradient.trace_check import is_checked, keeps_name
from nnx_codemods._sown.residual_state.popped_when_traced import pops_to_check
from nnx_migrate.analysis.domain.values import Scope, Values
from nnx_migrate.analysis.effects.effect import NO_EFFECTS, Effects
from nnx_migrate.analysis.effects.in_sight import Possible
from nnx_migrate.analysis.effects.never_ran import NeverRan
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.analysis.sites.tree import FunctionNode
from nnx_migrate.core.findings import Evidence, Proof
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import Contribution
from nnx_migrate.rewrite.model.functions import definition_of, is_owned
from nnx_migrate.rewrite.split.nested import last_return, own_returns


def watched_when_traced(
    context: FileContext,
    site: Site,
    argument: tuple[Scope, int | None, str],
    values: Values,
    possible: list[Possible],
) -> Evidence | None:
    """What a check in the new code holds the loss to; None where no check is enough, or fits.

    Args:
        argument: the function, the place of an argument, of a loss one that is not differentiated,
            and the name of the parameter.
        values: what it can be.
        possible: what may happen to it in code that is not known.
    """
    scope, index, name = argument
    if index is None or not context.options.trace_checks or context.analysis.sharing.of(values):
        return None
    seen = NeverRan(context.project).seen_object(scope, name)
    if seen is not None and seen[1].changes:
        return None  # the check would raise
    if any(each.by or not is_checked(each.effect.cause) for each in possible):
        return None
    if site.spec.compiles:
        if not _is_jitted(context, site, index) or not is_graph_node(context, values):
            return None
    elif not _is_split_loss(context, site, index):
        return None
    claim = str(RuleClaim.KEEPS_STRUCTURE.about(index=index))
    return Evidence(claim, Proof.CHECKED, context.where(site.node))


def unchecked_pops(
    context: FileContext,
    site: Site,
    argument: tuple[Scope, int | None, str],
    values: Values,
    effects: Effects,
) -> Effects:
    """The effects without pops of what a function has sown itself, where a check sees to the rest.

    Args:
        argument: as for `watched_when_traced`.
        values: what it can be.
    """
    scope, _, name = argument
    pops = pops_to_check(context, scope, name)
    if pops and not watches(context, scope, name):
        watched = watched_when_traced(context, site, argument, values, [])
        pops = pops if watched is not None else NO_EFFECTS
    return effects - pops


def _is_jitted(context: FileContext, site: Site, index: int) -> bool:
    """Whether a function itself is jitted, runs nowhere else, and ends in one place."""
    if site.spec.maps_axes:
        return False
    if site.form == "decorator":
        definition = site.function
        alone = isinstance(definition, FunctionNode) and definition.decorator_list[-1] is site.node
    else:
        definition = definition_of(context, site.function)
        alone = definition is not None and is_owned(context, site, definition)
    return (
        alone
        and isinstance(definition, ast.FunctionDef)
        and (last_return(definition) is not None or not own_returns(definition))
        and keeps_name(definition, index)
    )


def _is_split_loss(context: FileContext, site: Site, index: int) -> bool:
    """Whether a loss is called by a new function over States, which is given the argument, too."""
    if site.form != "call" or not site.spec.differentiates or not _are_placed(site, index):
        return False
    decisions = (decide_gradient(context, site, "", diff_state=each) for each in (False, True))
    return any(isinstance(each, Contribution) for each in decisions)


def watches(context: FileContext, scope: Scope, name: str) -> bool:
    """Whether a function looks at the structure of its argument itself, before and behind all that
    it does with it, and raises where that is another one."""
    definition = context.tree.functions.get(scope.function)
    if scope.module != context.tree.module or not isinstance(definition, ast.FunctionDef):
        return False
    named = [
        place
        for place, statement in enumerate(definition.body)
        if any(isinstance(node, ast.Name) and node.id == name for node in ast.walk(statement))
    ]
    if len(named) < 2 or name in context.project.function(scope).bindings:
        return False
    before, behind = definition.body[named[0]], definition.body[named[-1]]
    match before, behind:
        case (
            ast.Assign(targets=[ast.Name(id=kept)], value=first),
            ast.If(
                test=ast.Compare(
                    left=second, ops=[ast.NotEq()], comparators=[ast.Name(id=compared)]
                ),
                body=[ast.Raise()],
                orelse=[],
            ),
        ):
            splits = _splits_whole(context, first, name) and ast.dump(first) == ast.dump(second)
            return splits and kept == compared and _is_bound_once(definition, kept)
        case _:
            return False


def _splits_whole(context: FileContext, node: ast.expr, name: str) -> bool:
    """Whether a call splits an object, alone or in a tuple with others, without filters."""
    match node:
        case ast.Call(func=func, args=[ast.Name() | ast.Tuple() as given], keywords=[]):
            parts = given.elts if isinstance(given, ast.Tuple) else [given]
            named = any(isinstance(part, ast.Name) and part.id == name for part in parts)
            return named and context.tree.nnx_name(func) == "split"
        case _:
            return False


def _is_bound_once(definition: ast.FunctionDef, name: str) -> bool:
    named = (n for n in ast.walk(definition) if isinstance(n, ast.Name) and n.id == name)
    return sum(not isinstance(node.ctx, ast.Load) for node in named) == 1


def _are_placed(site: Site, index: int) -> bool:
    """Whether all calls are in sight, and pass the argument by its place."""
    return bool(site.uses) and all(
        len(use.args) > index and not any(isinstance(each, ast.Starred) for each in use.args)
        for use in site.uses
    )
