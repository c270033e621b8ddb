"""Who makes the objects that keep an Rngs, and where it puts them."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Mapping

from nnx_codemods._rngs.keepers import (
    Keeper,
    Plain,
    are_rngs,
    is_bound_anew,
    keepers,
    parameters_of,
    plain_class,
)
from nnx_codemods._rngs.refusal import NotLifted, RngsCause, not_lifted
from nnx_migrate.analysis.domain.values import Scope
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.lifted_rngs import Owner


@dataclasses.dataclass(frozen=True, slots=True)
class Making:
    """A class whose constructor makes parts.

    Args:
        told: how it keeps the Rngs, or is to.
        places: the attributes that it keeps parts under, each with the statements and calls that
            store them there.
    """

    of: Plain
    told: Owner
    places: Mapping[str, frozenset[ast.AST]]

    @property
    def module(self) -> str:
        return self.of.name.partition(":")[0]


def owners_of(context: FileContext, keeper: Keeper) -> tuple[Making, ...]:
    """The classes that make all objects of another, which they give their own Rngs.

    Raises:
        NotLifted: something else makes one, or names the class.
    """
    found: dict[ast.ClassDef, dict[str, set[ast.AST]]] = {}
    given: dict[ast.ClassDef, set[str]] = {}
    scope = Scope(context.tree.module, ir.MODULE_SCOPE)
    loads = context.finder.loads(scope, keeper.of.node.name)
    for load in loads:
        call = context.tree.parents[load]
        if not isinstance(call, ast.Call) or call.func is not load:
            raise not_lifted(context, load, RngsCause.MORE_THAN_MADE.about())
        init = context.tree.function_around(call)
        node = context.tree.class_around(init) if init is not None else None
        if node is None or not isinstance(init, ast.FunctionDef) or init.name != "__init__":
            raise not_lifted(context, load, RngsCause.NOT_IN_CONSTRUCTOR.about())
        attribute, place = _stored(context, keeper, call, init)
        found.setdefault(node, {}).setdefault(attribute, set()).add(place)
        given.setdefault(node, set()).add(_given(context, keeper, call, init))
    if not found:
        raise NotLifted(RngsCause.MADE_NOWHERE.about(name=keeper.of.node.name))
    return tuple(
        _making(context, keeper, node, given[node], places) for node, places in found.items()
    )


def _making(
    context: FileContext,
    keeper: Keeper,
    node: ast.ClassDef,
    given: set[str],
    places: Mapping[str, set[ast.AST]],
) -> Making:
    plain = plain_class(context, node)
    if len(given) != 1 or plain.node is keeper.of.node:
        raise NotLifted(RngsCause.SEVERAL_GIVEN.about(name=node.name))
    (parameter,) = given
    kept = _kept_by(context, plain, parameter)
    if kept is None:
        _check_free(plain, keeper.keyword)
        owner = Owner(node.name, plain.init, parameter, keeper.keyword)
    else:
        owner = Owner(node.name, plain.init, parameter, kept.attribute, kept.stored)
    return Making(plain, owner, {name: frozenset(made) for name, made in places.items()})


def _given(context: FileContext, keeper: Keeper, call: ast.Call, init: ast.FunctionDef) -> str:
    """The parameter of the owner whose Rngs a part is given."""
    if any(isinstance(a, ast.Starred) for a in call.args) or any(
        keyword.arg is None for keyword in call.keywords
    ):
        raise not_lifted(context, call, RngsCause.ARGUMENTS_UNPACKED.about())
    args = keeper.of.init.args
    positional = [each.arg for each in [*args.posonlyargs, *args.args][1:]]
    passed = dict(zip(positional, call.args, strict=False))
    passed |= {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}
    match passed.get(keeper.parameter):
        case ast.Name(id=name) as value if name in parameters_of(init):
            if are_rngs(context, context.values(value)) and not is_bound_anew(init, name):
                return name
    raise not_lifted(context, call, RngsCause.OTHER_RNGS.about())


def _stored(
    context: FileContext, keeper: Keeper, call: ast.Call, init: ast.FunctionDef
) -> tuple[str, ast.AST]:
    """The attribute that a part is kept under, alone or with others of its class."""
    itself = init.args.args[0].arg if init.args.args else ""
    node: ast.AST = call
    while True:
        parent = context.tree.parents[node]
        match parent:
            case ast.List(elts=elements) | ast.Tuple(elts=elements):
                if not all(_makes(context, keeper, each) for each in elements):
                    raise not_lifted(context, call, RngsCause.OTHERS_IN_CONTAINER.about())
            case ast.ListComp(elt=element) | ast.GeneratorExp(elt=element) if element is node:
                pass
            case ast.Call(func=func, args=[_], keywords=[]) if context.tree.nnx_name(func) in {
                "List",
                "data",
            }:
                pass
            case ast.Call(
                func=ast.Attribute(
                    value=ast.Attribute(value=ast.Name(id=own), attr=attribute), attr="append"
                ),
                args=[_],
            ) if own == itself:
                return attribute, parent
            case ast.Assign(targets=[ast.Attribute(value=ast.Name(id=own), attr=attribute)]) if (
                own == itself
            ):
                return attribute, parent
            case _:
                raise not_lifted(context, call, RngsCause.NOT_KEPT.about())
        node = parent


def _makes(context: FileContext, keeper: Keeper, element: ast.expr) -> bool:
    return (
        isinstance(element, ast.Call)
        and isinstance(element.func, ast.Name)
        and element.func.id == keeper.of.node.name
    )


def _kept_by(context: FileContext, plain: Plain, parameter: str) -> Keeper | None:
    """How an owner keeps its Rngs already, if it does."""
    for each in keepers(context):
        same = each.of.node is plain.node and each.parameter == parameter
        if same and _stores(plain, each.attribute) == 1:
            return each
    return None


def _check_free(plain: Plain, attribute: str) -> None:
    """Nothing of an owner has that name."""
    own = {getattr(each, "name", "") for each in plain.node.body}
    for each in plain.node.body:
        if not isinstance(each, ast.FunctionDef):
            own |= {node.id for node in ast.walk(each) if isinstance(node, ast.Name)}
    for node in ast.walk(plain.node):
        match node:
            case ast.Attribute(value=ast.Name(id=base), attr=name) if base == plain.itself:
                own.add(name)
    if attribute in own:
        raise NotLifted(RngsCause.ATTRIBUTE_TAKEN.about(attribute=attribute, name=plain.node.name))


def _stores(plain: Plain, attribute: str) -> int:
    return sum(
        isinstance(n, ast.Attribute) and n.attr == attribute and not isinstance(n.ctx, ast.Load)
        for n in ast.walk(plain.node)
    )
