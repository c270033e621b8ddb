"""What an owner keeps its parts under is read by its own methods alone."""

from __future__ import annotations

import ast

from nnx_codemods._rngs.keepers import own_name
from nnx_codemods._rngs.owners import Making
from nnx_codemods._rngs.refusal import NotLifted, RngsCause
from nnx_migrate.analysis.domain.values import Instance, is_unknown
from nnx_migrate.rewrite.model.context import FileContext

_BY_NAME = frozenset({"getattr", "setattr", "delattr", "hasattr"})


def check_out_of_reach(context: FileContext, making: Making, kept: str) -> None:
    """See that no other code comes to the parts of an owner, or sets its Rngs.

    Args:
        kept: the name by which it is to keep the Rngs.

    Raises:
        NotLifted: other code does, or may.
    """
    _check_own_methods(making)
    for attribute in (*making.places, kept):
        for record in context.project.modules.values():
            if attribute not in record.words:
                continue
            if not context.analysis.imports.in_one_program(context.tree.module, record.module):
                continue
            other = context.at(record.module) if record.module != making.module else context
            if other is None:
                raise NotLifted(
                    RngsCause.FILE_NOT_SEEN.about(path=record.path, attribute=attribute)
                )
            _check_file(other, making, attribute, sets=attribute == kept)


def _check_own_methods(making: Making) -> None:
    """The methods of an owner read no attributes by names that are computed."""
    name = making.of.node.name
    for method in making.of.methods:
        own = own_name(method)
        for node in ast.walk(method):
            if isinstance(node, ast.Attribute) and node.attr in {"__dict__", "set_attributes"}:
                raise NotLifted(RngsCause.USES_ATTRIBUTE.about(name=name, attribute=node.attr))
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                given = {each.id for each in node.args if isinstance(each, ast.Name)}
                if node.func.id in _BY_NAME | {"vars"} and own in given:
                    raise NotLifted(
                        RngsCause.USES_ON_ITSELF.about(name=name, function=node.func.id)
                    )


def _check_file(context: FileContext, making: Making, attribute: str, *, sets: bool) -> None:
    """One file neither reads the attribute of an owner nor, by its name, asks for it.

    Args:
        sets: it may read it, and must not set it.
    """
    owner = making.of
    for node in context.tree.of_kind(ast.Attribute):
        if node.attr != attribute or (sets and isinstance(node.ctx, ast.Load)):
            continue
        if _may_be(context, making, node.value) and not _is_own(context, making, node):
            where = context.where(node)
            text = context.text.of(node)
            raise NotLifted(RngsCause.MAY_BE_OWNERS.about(where, text=text, name=owner.node.name))
    for call in context.tree.of_kind(ast.Call):
        match call:
            case ast.Call(func=ast.Name(id=name), args=[given, ast.Constant(value=value), *_]) if (
                name in _BY_NAME and value == attribute and _may_be(context, making, given)
            ):
                raise NotLifted(
                    RngsCause.ASKED_FOR.about(context.where(call), text=context.text.of(call))
                )


def _may_be(context: FileContext, making: Making, expr: ast.expr) -> bool:
    """Whether an expression may give the owner."""
    related = context.evaluator.hierarchy.ancestry(making.of.name).classes
    values = context.values(expr)
    return (
        not values
        or is_unknown(values)
        or any(isinstance(v, Instance) and v.class_name in related for v in values)
    )


def _is_own(context: FileContext, making: Making, node: ast.Attribute) -> bool:
    """Whether a method of the owner reads or sets it of its own object."""
    return isinstance(node.value, ast.Name) and any(
        node.value.id == own_name(method) and method in context.tree.ancestors(node)
        for method in making.of.methods
    )
