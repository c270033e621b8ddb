"""Classes of which each object keeps the Rngs that it was made with."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterator

from nnx_codemods._rngs.refusal import NotLifted, RngsCause
from nnx_migrate.analysis.domain.values import Instance, Scope, Values
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.sites.tree import AnyFunction
from nnx_migrate.rewrite.model.context import FileContext, remembered
from nnx_migrate.sources.bound_names import are_bound_in, inside

#: Methods that decide what an attribute or a call of the class means.
_SPECIAL = frozenset(
    {"__getattr__", "__getattribute__", "__setattr__", "__delattr__", "__new__"}
    | {"__init_subclass__", "__class_getitem__", "__post_init__"}
)


@dataclasses.dataclass(frozen=True, slots=True)
class Plain:
    """A Module of this file of which all methods are seen: no class stands above or below it.

    Args:
        name: of the class, over the whole project.
    """

    node: ast.ClassDef
    name: str
    init: ast.FunctionDef

    @property
    def methods(self) -> tuple[ast.FunctionDef, ...]:
        return tuple(each for each in self.node.body if isinstance(each, ast.FunctionDef))

    @property
    def itself(self) -> str:
        """What the constructor calls the object."""
        return own_name(self.init)


@dataclasses.dataclass(frozen=True, slots=True)
class Keeper:
    """A class that keeps an Rngs as it is given it.

    Args:
        stored: the statement that does.
        attribute: the name by which it is kept.
        parameter: the one of the constructor that gives it.
    """

    of: Plain
    stored: ast.Assign
    attribute: str
    parameter: str

    @property
    def keyword(self) -> str:
        """The name by which it is handed on."""
        return self.attribute.lstrip("_") or self.attribute

    @property
    def order(self) -> int:
        """Where it stands in the file."""
        return self.of.node.lineno


def own_name(method: ast.FunctionDef) -> str:
    """What a method calls its own object."""
    positional = [*method.args.posonlyargs, *method.args.args]
    return positional[0].arg if positional else ""


def plain_class(context: FileContext, node: ast.ClassDef) -> Plain:
    """A class of this file that is a Module and nothing else.

    Raises:
        NotLifted: it is more, or not all of it is seen.
    """
    hierarchy = context.evaluator.hierarchy
    name = hierarchy.class_name(Scope(context.tree.module, ir.MODULE_SCOPE), ir.Name(node.name))
    if name is None or not isinstance(context.tree.parents[node], ast.Module):
        raise NotLifted(RngsCause.NO_CLASS_OF_MODULE.about(name=node.name))
    if node.decorator_list or node.keywords:
        raise NotLifted(RngsCause.IS_DECORATED.about(name=node.name))
    if [context.tree.nnx_name(base) for base in node.bases] != ["Module"]:
        raise NotLifted(RngsCause.NOT_MODULE_ALONE.about(name=node.name))
    if set(hierarchy.descendants(name)) - {name}:
        raise NotLifted(RngsCause.HAS_SUBCLASSES.about(name=node.name))
    inits = [each for each in node.body if getattr(each, "name", "") == "__init__"]
    if len(inits) != 1 or not isinstance(inits[0], ast.FunctionDef) or inits[0].decorator_list:
        raise NotLifted(RngsCause.NO_PLAIN_CONSTRUCTOR.about(name=node.name))
    if any(getattr(each, "name", "") in _SPECIAL for each in node.body):
        raise NotLifted(RngsCause.OWN_ATTRIBUTE_ACCESS.about(name=node.name))
    return Plain(node, name, inits[0])


@remembered
def keepers(context: FileContext) -> tuple[Keeper, ...]:
    """The classes of the file that keep an Rngs and may be rewritten, as far as they go alone."""
    found = []
    for node in context.tree.of_kind(ast.ClassDef):
        try:
            plain = plain_class(context, node)
        except NotLifted:
            continue
        found += list(_kept(context, plain))[:1]
    return tuple(sorted(found, key=lambda each: each.order))


def _kept(context: FileContext, plain: Plain) -> Iterator[Keeper]:
    for statement in plain.init.body:
        match statement:
            case ast.Assign(
                targets=[ast.Attribute(value=ast.Name(id=own), attr=attribute)],
                value=ast.Name(id=given) as value,
            ) if own == plain.itself and given in parameters_of(plain.init):
                if are_rngs(context, context.values(value)) and not is_bound_anew(
                    plain.init, given
                ):
                    yield Keeper(plain, statement, attribute, given)


def parameters_of(function: ast.FunctionDef) -> dict[str, ast.arg]:
    """Its parameters but for its own object, `*args` and `**kwargs`, by their names."""
    args = function.args
    named = [*args.posonlyargs, *args.args][1:] + args.kwonlyargs
    return {each.arg: each for each in named}


def is_bound_anew(function: AnyFunction, name: str) -> bool:
    """Whether anything in a function, or in those within, binds a name of its parameters anew."""
    return are_bound_in(inside(function), {name})


def are_rngs(context: FileContext, values: Values) -> bool:
    """Whether each of some values is an Rngs for certain."""
    return bool(values) and all(
        isinstance(v, Instance)
        and not v.partial
        and not v.probable
        and context.evaluator.hierarchy.kind(v.class_name) == "rngs"
        for v in values
    )
