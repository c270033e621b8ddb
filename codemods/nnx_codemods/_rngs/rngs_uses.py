"""What the methods of a class do with the Rngs that its objects keep, and who calls them.

All objects of the class are made by constructors of this file that give them their own Rngs, they
are kept as attributes, and nothing is done with them but to call them where their owner is at hand.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterator, Sequence

from nnx_codemods._rngs.encapsulated_parts import check_out_of_reach
from nnx_codemods._rngs.keepers import Keeper, is_bound_anew, own_name
from nnx_codemods._rngs.owners import Making, owners_of
from nnx_codemods._rngs.part_uses import MethodCall, PartUses
from nnx_codemods._rngs.refusal import NotLifted, RngsCause
from nnx_migrate.analysis.sites.tree import names_in
from nnx_migrate.rewrite.model.context import FileContext

#: Words of code that finds the parts of a Module by walking through it, or by their paths.
_WALKING = frozenset(
    {"iter_children", "iter_modules", "iter_module_children", "iter_graph", "recursive_map"}
    | {"PathContains"}
)


@dataclasses.dataclass(frozen=True, slots=True)
class RngsUses:
    """Where the objects of a class use the Rngs that they share, and where they are called.

    Args:
        makings: the classes that make them.
        reads: where methods read it, each with its method.
        handed: the names of the methods that read it, or call one that does.
        inner: the calls of these by each other.
        outer: the calls of methods by the owners.
    """

    makings: tuple[Making, ...]
    reads: tuple[tuple[ast.Attribute, ast.FunctionDef], ...]
    handed: frozenset[str]
    inner: tuple[MethodCall, ...]
    outer: tuple[MethodCall, ...]

    def methods(self, keeper: Keeper) -> tuple[ast.FunctionDef, ...]:
        """The methods that are to be handed the Rngs."""
        return tuple(method for method in keeper.of.methods if method.name in self.handed)


def uses_of(context: FileContext, keeper: Keeper) -> RngsUses:
    """All that is done with the objects of a class that keep an Rngs.

    Raises:
        NotLifted: some of it is not seen, or is more than to call them.
    """
    name = keeper.of.node.name
    _check_private(context, name)
    makings = owners_of(context, keeper)
    _check_never_passed(context, keeper)
    inner = _own_calls(context, keeper)
    reads = _reads(context, keeper)
    handed = _methods_handed(keeper, reads, inner)
    outer = tuple(call for making in makings for call in _calls(context, keeper, making))
    for making in makings:
        check_out_of_reach(context, making, making.told.attribute)
    for method in keeper.of.methods:
        if method.name in handed:
            _check_room(context, method, keeper.keyword)
    return RngsUses(makings, reads, handed, inner, outer)


def check_keyword_free(keeper: Keeper, calls: Sequence[ast.Call]) -> None:
    """None of some calls passes the keyword already, or may pass it."""
    for call in calls:
        if any(k.arg is None or k.arg == keeper.keyword for k in call.keywords):
            name, keyword = keeper.of.node.name, keeper.keyword
            raise NotLifted(RngsCause.KEYWORD_PASSED.about(name=name, keyword=keyword))


def check_places(context: FileContext, nodes: Sequence[ast.expr]) -> None:
    """None stands in an f-string, where Python before 3.12 tells no places."""
    for node in nodes:
        if any(isinstance(each, ast.JoinedStr) for each in context.tree.ancestors(node)):
            raise NotLifted(RngsCause.IN_F_STRING.about(context.where(node)))


def annotation_of(context: FileContext, keeper: Keeper) -> str:
    args = keeper.of.init.args
    named = (each for each in (*args.posonlyargs, *args.args, *args.kwonlyargs))
    parameter = next(each for each in named if each.arg == keeper.parameter)
    return context.text.of(parameter.annotation) if parameter.annotation is not None else ""


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
