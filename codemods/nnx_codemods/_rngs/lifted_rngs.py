"""How an Rngs that the parts of a Module keep can lie at the Module alone, numbers unchanged.

Each part is handed at each call the Rngs that it kept before, so all draws are the same, and in the
same order. What is needed for that: all objects of the class are made by constructors of this
file that give it their own Rngs, they are kept as attributes, and nothing is done with them but to
call them where their owner is at hand.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from nnx_codemods._claims import RuleClaim
from nnx_codemods._rngs.encapsulated_parts import check_out_of_reach
from nnx_codemods._rngs.keepers import Keeper, is_bound_anew, keepers, own_name, plain_class
from nnx_codemods._rngs.owners import Making, owners_of
from nnx_codemods._rngs.part_uses import MethodCall, PartUses
from nnx_codemods._rngs.refusal import NotLifted, RngsCause
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

#: Words of code that finds the parts of a Module by walking through it, or by their paths.
_WALKING = frozenset(
    {"iter_children", "iter_modules", "iter_module_children", "iter_graph", "recursive_map"}
    | {"PathContains"}
)


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
    given = values_at(context, site)
    roots = {value.class_name for value in given if isinstance(value, Instance)}
    held = sorted(classes_held(context.evaluator, given) - roots)
    needed = [name for name in held if keeps_rngs(context.evaluator, name)]
    if not needed:
        return None
    if any(context.evaluator.hierarchy.kind(name) == "rngs" for name in roots):
        raise NotLifted(RngsCause.RNGS_BESIDE)
    known = {keeper.of.name: keeper for keeper in keepers(context)}
    for name in needed:
        if name not in known:
            raise _not_plain(context, name)
    plans = {name: _planned(context, known[name]) for name in needed}
    for refused in plans.values():
        if isinstance(refused, Refusal):
            raise NotLifted(refused)
    first = min(
        needed, key=lambda name: (_made_in(context, known[name], needed), known[name].order)
    )
    plan = plans[first]
    assert isinstance(plan, LiftedRngs)
    return known[first], plan


def _not_plain(context: FileContext, name: str) -> NotLifted:
    """Why a class that keeps an Rngs is none of those that may be rewritten."""
    for node in context.tree.of_kind(ast.ClassDef):
        if name.startswith(f"{context.tree.module}:{node.name}:"):
            try:
                plain_class(context, node)
            except NotLifted as refused:
                return refused
    return NotLifted(RngsCause.NOT_SEEN_IN_FILE.about(name=short_name(name)))


def _made_in(context: FileContext, keeper: Keeper, needed: list[str]) -> int:
    """How many of the others a class makes: those inside of it go first."""
    others = {k.of.node.name for k in keepers(context) if k.of.name in needed}
    return len(others & names_in(keeper.of.init))


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
    name = keeper.of.node.name
    _check_private(context, name)
    makings = owners_of(context, keeper)
    _check_never_passed(context, keeper)
    inner = _own_calls(context, keeper)
    reads = _reads(context, keeper)
    handed = _methods_handed(keeper, reads, inner)
    outer = [call for making in makings for call in _calls(context, keeper, making)]
    for making in makings:
        check_out_of_reach(context, making, making.told.attribute)
    keyword = keeper.keyword
    for method in keeper.of.methods:
        if method.name in handed:
            _check_room(context, method, keyword)
    texts = [(node, _text(keeper, method, keyword)) for node, method in reads]
    calls = [
        Handed(call.call, _text(keeper, call.within, keyword))
        for call in inner
        if call.method in handed
    ]
    for making in makings:
        for call in outer:
            if call.within in making.of.methods and call.method in handed:
                itself = own_name(call.within)
                in_init = call.within is making.of.init
                given = making.told.parameter if in_init else f"{itself}.{making.told.attribute}"
                calls.append(Handed(call.call, given))
    for each in calls:
        if any(k.arg is None or k.arg == keyword for k in each.call.keywords):
            raise NotLifted(RngsCause.KEYWORD_PASSED.about(name=name, keyword=keyword))
    _check_places(context, [*(node for node, _ in texts), *(each.call for each in calls)])
    annotation = _annotation(context, keeper)
    methods = tuple(method for method in keeper.of.methods if method.name in handed)
    return LiftedRngs(
        keyword,
        annotation,
        keeper.stored,
        tuple(texts),
        methods,
        tuple(calls),
        tuple(making.told for making in makings),
    )


def _check_places(context: FileContext, nodes: Sequence[ast.expr]) -> None:
    """None stands in an f-string, where Python before 3.12 tells no places."""
    for node in nodes:
        if any(isinstance(each, ast.JoinedStr) for each in context.tree.ancestors(node)):
            raise NotLifted(RngsCause.IN_F_STRING.about(context.where(node)))


def _annotation(context: FileContext, keeper: Keeper) -> str:
    args = keeper.of.init.args
    named = (each for each in (*args.posonlyargs, *args.args, *args.kwonlyargs))
    parameter = next(each for each in named if each.arg == keeper.parameter)
    return context.text.of(parameter.annotation) if parameter.annotation is not None else ""


def _text(keeper: Keeper, method: ast.FunctionDef, keyword: str) -> str:
    """How the Rngs is called in a method of the class."""
    return keeper.parameter if method is keeper.of.init else keyword


def _check_private(context: FileContext, name: str) -> None:
    """No other file names the class, and none walks through Modules."""
    module = context.tree.module
    record = context.project.modules[module]
    if name in record.exports:
        raise NotLifted(RngsCause.IS_EXPORTED.about(name=name))
    if record.is_package:
        raise NotLifted(RngsCause.OF_PACKAGE.about(name=name))
    for other in context.analysis.imports.importers(module, (name,)):
        if not any(each.name == name for each in other.classes.values()):
            raise NotLifted(RngsCause.USED_IN_FILE.about(name=name, path=other.path))
    for other in context.project.modules.values():
        if _WALKING.isdisjoint(other.words):
            continue
        if context.analysis.imports.in_one_program(module, other.module):
            (word, *_) = sorted(_WALKING.intersection(other.words))
            raise NotLifted(RngsCause.PARTS_WALKED.about(path=other.path, word=word))


def _own_nodes(keeper: Keeper) -> Iterator[tuple[ast.Name, ast.FunctionDef]]:
    """Where the methods of a class read their own object."""
    for method in keeper.of.methods:
        own = own_name(method)
        for node in ast.walk(method):
            if isinstance(node, ast.Name) and node.id == own:
                yield node, method


def _check_never_passed(context: FileContext, keeper: Keeper) -> None:
    """No method hands its own object on, and all are methods."""
    name = keeper.of.node.name
    for each in keeper.of.node.body:
        if isinstance(each, ast.FunctionDef):
            if is_bound_anew(each, own_name(each)):
                raise NotLifted(
                    RngsCause.OWN_BOUND_ANEW.about(name=name, method=each.name, own=own_name(each))
                )
        elif keeper.attribute in names_in(each):
            raise NotLifted(RngsCause.CLASS_SETS.about(name=name, attribute=keeper.attribute))
        elif isinstance(each, ast.AsyncFunctionDef | ast.ClassDef):
            raise NotLifted(RngsCause.MORE_THAN_METHODS.about(name=name))
    for node, method in _own_nodes(keeper):
        if not isinstance(context.tree.parents[node], ast.Attribute):
            raise NotLifted(
                RngsCause.HANDED_ON.about(
                    context.where(node), name=name, method=method.name, own=node.id
                )
            )


def _reads(
    context: FileContext, keeper: Keeper
) -> tuple[tuple[ast.Attribute, ast.FunctionDef], ...]:
    """Where the methods read the Rngs that the object keeps."""
    found = []
    for node, method in _own_nodes(keeper):
        attribute = context.tree.parents[node]
        if isinstance(attribute, ast.Attribute) and attribute.attr == "__dict__":
            raise NotLifted(
                RngsCause.READS_DICT.about(name=keeper.of.node.name, method=method.name)
            )
        if not isinstance(attribute, ast.Attribute) or attribute.attr != keeper.attribute:
            continue
        if isinstance(attribute.ctx, ast.Load):
            found.append((attribute, method))
        elif context.tree.parents[attribute] is not keeper.stored:
            where = context.where(attribute)
            raise NotLifted(
                RngsCause.SET_ANEW.about(
                    where, name=keeper.of.node.name, attribute=keeper.attribute
                )
            )
    return tuple(found)


def _own_calls(context: FileContext, keeper: Keeper) -> tuple[MethodCall, ...]:
    """Where the methods call each other; one that is more than called is no plain method."""
    names = {method.name for method in keeper.of.methods}
    found = []
    for node, method in _own_nodes(keeper):
        attribute = context.tree.parents[node]
        if not isinstance(attribute, ast.Attribute) or attribute.attr not in names:
            continue
        call = context.tree.parents[attribute]
        if not isinstance(call, ast.Call) or call.func is not attribute:
            where = context.where(attribute)
            raise NotLifted(
                RngsCause.METHOD_OF_MORE_THAN_CALLED.about(
                    where, method=attribute.attr, name=keeper.of.node.name
                )
            )
        found.append(MethodCall(call, attribute.attr, method))
    return tuple(found)


def _methods_handed(
    keeper: Keeper,
    reads: tuple[tuple[ast.Attribute, ast.FunctionDef], ...],
    inner: tuple[MethodCall, ...],
) -> frozenset[str]:
    """The methods that read the Rngs, or call one that does."""
    found = {method.name for _, method in reads}
    while True:
        more = {call.within.name for call in inner if call.method in found} - found
        if not more:
            return frozenset(found - {"__init__"})
        found |= more


def _calls(context: FileContext, keeper: Keeper, making: Making) -> tuple[MethodCall, ...]:
    """Where an owner calls its parts."""
    uses = PartUses(context, keeper, making.of)
    for attribute, made in making.places.items():
        uses.follow_attribute(attribute, made)
    for call in uses.calls:
        decorators = [context.tree.dotted(d) for d in call.within.decorator_list]
        if {"staticmethod", "classmethod"} & {
            (each or "").rpartition(".")[2] for each in decorators
        }:
            raise NotLifted(RngsCause.NO_PLAIN_METHOD.about(method=call.within.name))
    return tuple(uses.calls)


def _check_room(context: FileContext, method: ast.FunctionDef, keyword: str) -> None:
    """A method can be given one parameter more."""
    if method.decorator_list:
        raise NotLifted(RngsCause.METHOD_DECORATED.about(context.where(method), method=method.name))
    if method.name.startswith("__") and method.name != "__call__":
        raise NotLifted(
            RngsCause.SPECIAL_METHOD_DRAWS.about(context.where(method), method=method.name)
        )
    if keyword in names_in(method):
        raise NotLifted(
            RngsCause.KEYWORD_TAKEN.about(
                context.where(method), keyword=keyword, method=method.name
            )
        )
    if method.args.kwarg is not None:
        raise NotLifted(
            RngsCause.TAKES_ALL_KEYWORDS.about(context.where(method), method=method.name)
        )
