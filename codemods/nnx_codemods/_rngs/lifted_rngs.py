"""How an Rngs that the parts of a Module keep can lie at the Module alone, numbers unchanged.

Each part is handed at each call the Rngs that it kept before, so all draws are the same, and in the
same order. What is needed for that: all objects of the class are made by constructors of this
file that give it their own Rngs, they are kept as attributes, and nothing is done with them but to
call them where their owner is at hand.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping

from nnx_codemods._claims import RuleClaim
from nnx_codemods._rngs.keepers import Keeper, keepers, own_name, plain_class
from nnx_codemods._rngs.refusal import NotLifted, RngsCause
from nnx_codemods._rngs.rngs_uses import (
    annotation_of,
    check_keyword_free,
    check_places,
    uses_of,
)
from nnx_migrate.analysis.domain.values import Instance, Values, short_name
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.analysis.sites.tree import names_in
from nnx_migrate.core.findings import Evidence, Proof
from nnx_migrate.core.permissions import Permission
from nnx_migrate.core.refusal import Refusal
from nnx_migrate.rewrite.classes.held import classes_held, keeps_rngs
from nnx_migrate.rewrite.model.context import FileContext, remembered
from nnx_migrate.rewrite.model.decisions import Contribution
from nnx_migrate.rewrite.model.functions import function_scopes, given_parameters
from nnx_migrate.rewrite.model.lifted_rngs import Handed, LiftedRngs


def lifted_rngs(context: FileContext, site: Site, rule: str) -> Contribution | Evidence | None:
    """What becomes of an Rngs that parts of an object share; else what keeps it from that."""
    try:
        found = lift_at(context, site)
    except NotLifted as refused:
        return Evidence(str(RuleClaim.RNGS_STAY.about(why=refused)), Proof.PROVED)
    if found is None:
        return None
    keeper, lift = found
    name = keeper.of.node.name
    claim = str(RuleClaim.NO_OUTSIDE_USE.about(name=name))
    where = context.where(keeper.stored)
    evidence = Evidence(claim, Proof.ASSUMED, where, Permission.LIFT_RNGS)
    if not context.options.allows(Permission.LIFT_RNGS):
        return evidence
    owners = " and ".join(sorted({owner.name for owner in lift.owners}))
    message = RngsCause.LIFTED.about(name=name, owners=owners)
    return Contribution(rule, message, (evidence,), lift)


def lift_at(context: FileContext, site: Site) -> tuple[Keeper, LiftedRngs] | None:
    """The first Rngs to lift so that what reaches a site shares none; None where none is shared.

    Raises:
        NotLifted: one is, and it has to stay where it is.
    """
    needed = {keeper.of.name: keeper for keeper in keepers_at(context, site)}
    if not needed:
        return None
    plans = {name: _planned(context, keeper) for name, keeper in needed.items()}
    for refused in plans.values():
        if isinstance(refused, Refusal):
            raise NotLifted(refused)
    first = min(needed, key=lambda name: (_made_in(needed, name), needed[name].order))
    plan = plans[first]
    assert isinstance(plan, LiftedRngs)
    return needed[first], plan


def keepers_at(context: FileContext, site: Site) -> tuple[Keeper, ...]:
    """The classes of the parts of what reaches a site that keep an Rngs.

    Raises:
        NotLifted: this file does not show how one of them does.
    """
    given = values_at(context, site)
    roots = {value.class_name for value in given if isinstance(value, Instance)}
    held = sorted(classes_held(context.evaluator, given) - roots)
    needed = [name for name in held if keeps_rngs(context.evaluator, name)]
    if needed and any(context.evaluator.hierarchy.kind(name) == "rngs" for name in roots):
        raise NotLifted(RngsCause.RNGS_BESIDE)
    known = {keeper.of.name: keeper for keeper in keepers(context)}
    for name in needed:
        if name not in known:
            raise _not_plain(context, name)
    return tuple(known[name] for name in needed)


def _not_plain(context: FileContext, name: str) -> NotLifted:
    """Why a class that keeps an Rngs is none of those that may be rewritten."""
    for node in context.tree.of_kind(ast.ClassDef):
        if name.startswith(f"{context.tree.module}:{node.name}:"):
            try:
                plain_class(context, node)
            except NotLifted as refused:
                return refused
    return NotLifted(RngsCause.NOT_SEEN_IN_FILE.about(name=short_name(name)))


def _made_in(needed: Mapping[str, Keeper], name: str) -> int:
    """How many of the others a class makes: those inside of it go first."""
    others = {keeper.of.node.name for keeper in needed.values()}
    return len(others & names_in(needed[name].of.init))


def values_at(context: FileContext, site: Site) -> Values:
    """All that a transform is given, and all that its function gives back."""
    found: Values = frozenset()
    for operand in site.operands:
        found |= context.values(operand)
    for use in site.uses:
        for argument in (*use.args, *(keyword.value for keyword in use.keywords)):
            found |= context.values(argument)
    for scope in function_scopes(context, site):
        for _, _, values in given_parameters(context, site, scope):
            found |= values
        found |= context.evaluator.returned(scope)
    return found


@remembered
def _planned(context: FileContext, keeper: Keeper) -> LiftedRngs | Refusal:
    """How the Rngs of a class can be lifted, or why it cannot."""
    try:
        return _plan(context, keeper)
    except NotLifted as refused:
        return refused.refusal


def _plan(context: FileContext, keeper: Keeper) -> LiftedRngs:
    uses = uses_of(context, keeper)
    keyword = keeper.keyword
    texts = [(node, _text(keeper, method, keyword)) for node, method in uses.reads]
    calls = [
        Handed(call.call, _text(keeper, call.within, keyword))
        for call in uses.inner
        if call.method in uses.handed
    ]
    for making in uses.makings:
        for call in uses.outer:
            if call.within in making.of.methods and call.method in uses.handed:
                itself = own_name(call.within)
                in_init = call.within is making.of.init
                given = making.told.parameter if in_init else f"{itself}.{making.told.attribute}"
                calls.append(Handed(call.call, given))
    check_keyword_free(keeper, [each.call for each in calls])
    check_places(context, [*(node for node, _ in texts), *(each.call for each in calls)])
    return LiftedRngs(
        keyword,
        annotation_of(context, keeper),
        keeper.stored,
        tuple(texts),
        uses.methods(keeper),
        tuple(calls),
        tuple(making.told for making in uses.makings),
    )


def _text(keeper: Keeper, method: ast.FunctionDef, keyword: str) -> str:
    """How the Rngs is called in a method of the class."""
    return keeper.parameter if method is keeper.of.init else keyword
