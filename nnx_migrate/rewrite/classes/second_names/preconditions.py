"""What has to hold for an object to be kept under one of its two names alone."""

from __future__ import annotations

import ast
import enum
import itertools
from collections.abc import Iterator, Mapping, Sequence

from nnx_migrate.analysis.domain.values import PLAIN, Instance, Scope, Values, is_unknown
from nnx_migrate.analysis.flax.names import layer_of
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.symbols.passed_on import writes_in
from nnx_migrate.core.refusal import Cause
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import NotRewritten

#: Stores that put another object there; the rest gives the same one other contents.
_REPLACING = frozenset({"set", "augment", "delete", "outer"})
#: Methods of classes that decide themselves what an attribute is.
_OWN_ACCESS = ("__getattr__", "__getattribute__", "__setattr__", "__delattr__")
#: Words of code that goes through the attributes of an object by their names.
_BY_NAME = frozenset({"__dict__", "__slots__", "vars"})


@enum.unique
class TwoNames(Cause):
    """Why an object stays under both of its names."""

    CLASS = "some code of its class is out of sight"
    BODY = "{name} means something else in the class, a base class, or a subclass"
    SET = "{name} is set in other places, too"
    PLACE = "the two names are not set in one place"
    ORDER = "its path in a State would change"
    ATTRIBUTES = "code loops over the attributes of the class by name"
    HELD = "the object that holds {name} may be replaced"
    WAYS = "not every path through the constructor stores {name} once"


def is_object(context: FileContext, values: Values) -> bool:
    """Whether it is an object that no tree may hold twice, if it is anything."""
    is_node = context.analysis.sharing.ties.is_node
    objects = values - PLAIN
    return bool(objects) and all(is_node(value) for value in objects)


def may_be_object(context: FileContext, values: Values) -> bool:
    """Whether it is one on some ways; on others nobody may know what it is."""
    return any(context.analysis.sharing.ties.is_node(value) for value in values)


def related(context: FileContext, name: str) -> tuple[str, ...]:
    """A class with all above and below it.

    Raises:
        NotRewritten: not all of them are seen.
    """
    hierarchy = context.evaluator.hierarchy
    below = (name, *hierarchy.descendants(name))
    if not all(hierarchy.ancestry(each).closed for each in below):
        raise NotRewritten(TwoNames.CLASS)
    return tuple(dict.fromkeys(a for each in below for a in hierarchy.ancestry(each).classes))


def _names_in(node: ast.ClassDef) -> set[str]:
    """The names that the body of a class binds or annotates by itself."""
    found: set[str] = set()
    for statement in node.body:
        match statement:
            case ast.Assign(targets=targets):
                found.update(
                    each.id
                    for target in targets
                    for each in ast.walk(target)
                    if isinstance(each, ast.Name)
                )
            case ast.AnnAssign(target=ast.Name(id=name)):
                found.add(name)
    return found


def check_classes(
    context: FileContext,
    own: str,
    node: ast.ClassDef,
    family: Sequence[str],
    names: set[str],
) -> None:
    """The names mean nothing else in any of the classes, and no class reads by name.

    Args:
        own: the class that `node` defines.

    Raises:
        NotRewritten: it is not so.
    """
    hierarchy, project = context.evaluator.hierarchy, context.project
    for each in family:
        for name in sorted(names):
            layer = layer_of(each)
            if hierarchy.method(each, name) is not None or (layer and layer.attribute(name)):
                raise NotRewritten(TwoNames.BODY.about(name=name))
        located = project.class_of(each)
        if located is None:
            continue
        module, record = located
        bound = {*record.attributes, *record.annotations} if each != own else _names_in(node)
        for name in sorted(names & bound):
            raise NotRewritten(TwoNames.BODY.about(name=name))
        if any(method in record.methods for method in _OWN_ACCESS):
            raise NotRewritten(TwoNames.ATTRIBUTES)
        if not _BY_NAME.isdisjoint(project.modules[module].words):
            raise NotRewritten(TwoNames.ATTRIBUTES)


def check_stores(context: FileContext, family: Sequence[str], stores: Mapping[str, int]) -> None:
    """No code stores some names but the statements that are looked at.

    Args:
        family: a class with all above and below it.
        stores: by name, how many of its methods' statements are looked at.

    Raises:
        NotRewritten: other code stores one, too, or may.
    """
    for name, looked_at in sorted(stores.items()):
        own = sum(
            write.how in _REPLACING
            for each in family
            for write in _writes(context, each)
            if isinstance(write.target, ir.Attribute) and write.target.name == name
        )
        if own != looked_at or _stored_elsewhere(context, name, family):
            raise NotRewritten(TwoNames.SET.about(name=name))
    for each in family:
        if any(_sets_any(call) for call in _calls(context, each)):
            raise NotRewritten(TwoNames.ATTRIBUTES)


def _writes(context: FileContext, class_name: str) -> Iterator[ir.Write]:
    """The stores of a class in its own objects."""
    for function in _methods(context, class_name):
        own = ir.Name(function.parameters[0].name) if function.parameters else ir.UNSEEN
        for write in writes_in(function):
            if isinstance(write.target, ir.Attribute) and write.target.base == own:
                yield write


def _calls(context: FileContext, class_name: str) -> Iterator[ir.Call]:
    for function in _methods(context, class_name):
        yield from function.calls


def _methods(context: FileContext, class_name: str) -> Iterator[ir.Function]:
    located = context.project.class_of(class_name)
    if located is not None:
        module, record = located
        yield from (function for _, function in context.project.methods_of(module, record.key))


def _sets_any(call: ir.Call) -> bool:
    """Whether it is `setattr(x, name, value)` with a name that is computed."""
    match call:
        case ir.Call(func=ir.Name(id="setattr" | "delattr"), args=(_, ir.Constant(), *_)):
            return False
        case ir.Call(func=ir.Name(id="setattr" | "delattr")):
            return True
        case _:
            return False


def _stored_elsewhere(context: FileContext, name: str, family: Sequence[str]) -> bool:
    """Whether code outside of the methods may replace what such objects have under a name."""
    mentions = context.evaluator.callers.mentions
    stores = itertools.chain(
        mentions.outside_writes(name),
        mentions.set_elsewhere(name),
        mentions.outside_deletions(name),
    )
    return any(
        _may_be(context, scope, write.target.base, family)
        for scope, write in stores
        if isinstance(write.target, ir.Attribute) and write.how in _REPLACING
    )


def _may_be(context: FileContext, scope: Scope, expr: ir.Expr, family: Sequence[str]) -> bool:
    values = context.evaluator.values(scope, expr)
    return is_unknown(values) or any(
        isinstance(value, Instance)
        and (value.class_name in family or not value.exact)
        and not set(family).isdisjoint(context.evaluator.hierarchy.classes_of(value))
        for value in values
    )


def check_held(context: FileContext, value: ast.expr) -> None:
    """What the attributes behind the first one hold stays there.

    Raises:
        NotRewritten: it may be replaced.
    """
    while isinstance(value, ast.Attribute) and isinstance(value.value, ast.Attribute):
        holders = context.values(value.value)
        for holder in holders:
            if not isinstance(holder, Instance):
                raise NotRewritten(TwoNames.HELD.about(name=value.attr))
            family = related(context, holder.class_name)
            if context.evaluator.hierarchy.method(holder.class_name, value.attr) is not None:
                raise NotRewritten(TwoNames.HELD.about(name=value.attr))  # made anew at each read
            replacing = sum(
                write.how in _REPLACING
                for each in family
                for write in _writes(context, each)
                if isinstance(write.target, ir.Attribute) and write.target.name == value.attr
            )
            known = 0 if layer_of(holder.class_name) is not None else 1
            if replacing > known or _stored_elsewhere(context, value.attr, family):
                raise NotRewritten(TwoNames.HELD.about(name=value.attr))
        if not holders:
            raise NotRewritten(TwoNames.HELD.about(name=value.attr))
        value = value.value
