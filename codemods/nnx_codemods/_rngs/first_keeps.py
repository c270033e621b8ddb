"""How the first of the parts that share an Rngs keeps it alone, and the others are handed it.

`nnx.state` of graph mode lists the Rngs of `self.blocks` once, at the first block. There it stays,
so that all paths are what they were. The owner deletes it from the other parts, and hands it to
each at its calls, so that all draws are the same, and in the same order.
"""

from __future__ import annotations

import ast
import dataclasses
import keyword
from collections.abc import Iterator

from nnx_codemods._claims import RuleClaim
from nnx_codemods._rngs.given_to_jax import check_never_given_to_jax
from nnx_codemods._rngs.keepers import Keeper, own_name
from nnx_codemods._rngs.lifted_rngs import keepers_at, values_at
from nnx_codemods._rngs.owners import Making
from nnx_codemods._rngs.refusal import NotLifted, RngsCause
from nnx_codemods._rngs.rngs_uses import (
    annotation_of,
    check_keyword_free,
    check_places,
    uses_of,
)
from nnx_migrate.analysis.domain.values import Instance
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.analysis.sites.tree import names_in
from nnx_migrate.core.findings import Evidence, Proof
from nnx_migrate.core.refusal import Refusal
from nnx_migrate.rewrite.classes.change import RULE_NAME
from nnx_migrate.rewrite.model.context import FileContext, remembered
from nnx_migrate.rewrite.model.decisions import Contribution
from nnx_migrate.rewrite.model.lifted_rngs import FirstKeeps, Handed
from nnx_migrate.sources.suppressions import parse_suppressions

_CONTAINERS = (ast.List, ast.Tuple, ast.ListComp, ast.GeneratorExp)


def first_keeps(context: FileContext, site: Site, rule: str) -> Contribution | Evidence | None:
    """How what reaches a site shares no Rngs any more; else what keeps it from that."""
    try:
        return _first_keeps(context, site, rule)
    except NotLifted as refused:
        return Evidence(str(RuleClaim.ALL_KEEP.about(why=refused)), Proof.PROVED)


def _first_keeps(context: FileContext, site: Site, rule: str) -> Contribution | None:
    keepers = keepers_at(context, site)
    if not keepers:
        return None
    if len(keepers) > 1:
        raise NotLifted(RngsCause.SEVERAL_CLASSES)
    (keeper,) = keepers
    plan = _planned(context, keeper)
    if isinstance(plan, Refusal):
        raise NotLifted(plan)
    owner, change = plan
    roots = {each.class_name for each in values_at(context, site) if isinstance(each, Instance)}
    if owner.of.name not in roots:
        raise NotLifted(RngsCause.OWNER_INSIDE.about(name=owner.of.node.name))
    name = keeper.of.node.name
    message = RngsCause.FIRST_KEEPS.about(name=name, owner=owner.of.node.name)
    claim = str(RuleClaim.CALLED_BY_OWNER.about(name=name, owner=owner.of.node.name))
    evidence = Evidence(claim, Proof.PROVED, context.where(keeper.stored))
    return Contribution(rule, message, (evidence,), change)


@remembered
def _planned(context: FileContext, keeper: Keeper) -> tuple[Making, FirstKeeps] | Refusal:
    """How one object of a class can keep the Rngs for all, or why it cannot."""
    try:
        return _plan(context, keeper)
    except NotLifted as refused:
        return refused.refusal


def _plan(context: FileContext, keeper: Keeper) -> tuple[Making, FirstKeeps]:
    _check_not_silenced(context, keeper)
    uses = uses_of(context, keeper)
    if len(uses.makings) > 1:
        raise NotLifted(RngsCause.SEVERAL_OWNERS.about(name=keeper.of.node.name))
    (making,) = uses.makings
    if making.told.stored is not None:
        raise NotLifted(RngsCause.OWNER_KEEPS.about(name=making.of.node.name))
    check_never_given_to_jax(context, keeper, making.of)
    places = _places(context, keeper, making)
    first = places[0]
    if first.is_list and len(places) > 1:
        raise NotLifted(RngsCause.FIRST_MAY_BE_NONE.about(attribute=first.attribute))
    init = keeper.of.init
    calls = [
        Handed(call.call, keeper.keyword)
        for call in uses.inner
        if call.method in uses.handed and call.within is not init
    ]
    for call in uses.outer:
        if call.method in uses.handed:
            given = f"{first.part(own_name(call.within))}.{keeper.attribute}"
            in_init = call.within is making.of.init
            calls.append(Handed(call.call, making.told.parameter if in_init else given))
    reads = [(node, method) for node, method in uses.reads if method is not init]
    check_keyword_free(keeper, [each.call for each in calls])
    check_places(context, [*(node for node, _ in reads), *(each.call for each in calls)])
    return making, FirstKeeps(
        keeper.keyword,
        annotation_of(context, keeper),
        keeper.attribute,
        tuple(reads),
        uses.methods(keeper),
        tuple(calls),
        max((place.made for place in places), key=lambda statement: statement.lineno),
        tuple(_removals(context, keeper, making, places, read=bool(uses.handed))),
    )


def _check_not_silenced(context: FileContext, keeper: Keeper) -> None:
    """No comment keeps the class as it is."""
    first, last = keeper.stored.lineno, keeper.stored.end_lineno or keeper.stored.lineno
    if parse_suppressions(context.text.text).match(RULE_NAME, first, last) is not None:
        raise NotLifted(RngsCause.SILENCED.about(name=keeper.of.node.name))


@dataclasses.dataclass(frozen=True, slots=True)
class _Place:
    """An attribute under which an owner keeps parts.

    Args:
        is_list: whether it is a list of them.
        made: the statement of the constructor that makes them.
    """

    attribute: str
    is_list: bool
    made: ast.stmt

    def part(self, own: str) -> str:
        """The first part there, of an object with such a name."""
        return f"{own}.{self.attribute}" + ("[0]" if self.is_list else "")


def _places(context: FileContext, keeper: Keeper, making: Making) -> list[_Place]:
    """Where an owner keeps its parts, in the order in which `nnx.state` lists them."""
    found = []
    for attribute, nodes in sorted(making.places.items()):
        if len(nodes) > 1:
            raise NotLifted(RngsCause.MADE_IN_SEVERAL_LINES.about(attribute=attribute))
        (node,) = nodes
        around = (node, *context.tree.ancestors(node))
        made = next(each for each in around if each in making.of.init.body)
        if isinstance(node, ast.Assign) and node is made:
            depths = set(_depths(context, keeper, node))
        elif isinstance(made, ast.For) and not made.orelse and isinstance(node, ast.Call):
            depths = {1}
        else:
            depths = set()
        if not depths or len(depths) > 1 or max(depths) > 1:
            raise NotLifted(RngsCause.NOT_MADE_ALWAYS.about(attribute=attribute))
        assert isinstance(made, ast.stmt)
        found.append(_Place(attribute, depths == {1}, made))
    return found


def _depths(context: FileContext, keeper: Keeper, made: ast.Assign) -> Iterator[int]:
    """In how many containers each of the parts is that a statement makes."""
    for node in ast.walk(made.value):
        match node:
            case ast.Call(func=ast.Name(id=name)) if name == keeper.of.node.name:
                around = list(context.tree.ancestors(node))
                inside = around[: around.index(made)]
                yield sum(isinstance(each, _CONTAINERS) for each in inside)


def _removals(
    context: FileContext, keeper: Keeper, making: Making, places: list[_Place], *, read: bool
) -> Iterator[str]:
    """What takes the Rngs from all parts but the first.

    Args:
        read: whether methods of the parts read it.
    """
    own = making.of.itself
    others = "the others get it at their calls" if read else "no method reads it"
    yield f"# Only {places[0].part(own)} keeps the Rngs; {others}."
    for i, place in enumerate(places):
        name = f"{own}.{place.attribute}"
        if place.is_list:
            turn = _turn(making, place.attribute)
            yield f"for {turn} in {name if i else f'{name}[1:]'}:"
            yield f"{context.indent_unit}del {turn}.{keeper.attribute}"
        elif i:
            yield f"del {name}.{keeper.attribute}"


def _turn(making: Making, attribute: str) -> str:
    """What the owner calls one of its parts."""
    names = [*_turns(making.of.node, attribute), attribute.removesuffix("s"), "part"]
    taken = names_in(making.of.init) | {*keyword.kwlist, attribute}
    return next((name for name in names if name not in taken), f"one_of_{attribute}")


def _turns(owner: ast.ClassDef, attribute: str) -> Iterator[str]:
    for node in ast.walk(owner):
        match node:
            case ast.For(target=ast.Name(id=name), iter=ast.Attribute(attr=attr)) if (
                attr == attribute
            ):
                yield name
            case ast.For(
                target=ast.Tuple(elts=[_, ast.Name(id=name)]),
                iter=ast.Call(func=ast.Name(id="enumerate"), args=[ast.Attribute(attr=attr), *_]),
            ) if attr == attribute:
                yield name
