"""Modules that keep one object under two names: `self.head = self.embed` becomes a property.

Tree mode takes no object that holds another one twice (docs/semantics.md: ALI-1). A property reads
it where it is kept. It is kept under the name that comes first in the alphabet, by which both modes
list it in a State, so that all paths stay what they are.
"""

from __future__ import annotations

import ast
import enum
from collections.abc import Iterator, Sequence

from nnx_migrate.analysis.domain.values import (
    PLAIN,
    Instance,
    Scope,
    Values,
    is_unknown,
    short_name,
)
from nnx_migrate.analysis.flax.names import layer_of
from nnx_migrate.analysis.heap.tied_attributes import OBJECTS
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.symbols.passed_on import writes_in
from nnx_migrate.core.findings import Evidence, Finding, Outcome, Proof
from nnx_migrate.core.refusal import Cause
from nnx_migrate.rewrite.claims import ClassClaim
from nnx_migrate.rewrite.classes.change import RULE_NAME, ClassChange
from nnx_migrate.rewrite.classes.property_edits import Alias, property_edits
from nnx_migrate.rewrite.classes.stored_again import constructor, stored_again, stores_again
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import CannotEmit, NotRewritten

#: Stores that put another object there; the rest gives the same one other contents.
_REPLACING = frozenset({"set", "augment", "delete", "outer"})
#: Methods of classes that decide themselves what an attribute is.
_OWN_ACCESS = ("__getattr__", "__getattribute__", "__setattr__", "__delattr__")
#: Words of code that goes through the attributes of an object by their names.
_BY_NAME = frozenset({"__dict__", "__slots__", "vars"})


@enum.unique
class TwoNames(Cause):
    """Why an object stays under both of its names."""

    CLASS = "not all of its class is seen"
    BODY = "{name} means something else in the class, or in one above or below it"
    SET = "{name} is set in other places, too"
    PLACE = "the two names are not set in one place"
    ORDER = "its path in a State would be another one"
    ATTRIBUTES = "code goes through the attributes of the class by name"
    HELD = "what holds {name} may get another one"


def is_second_name(record: ir.ModuleIndex) -> bool:
    """Whether a file has a constructor that stores what an attribute of its object holds."""
    return any(
        _attributes(write.value, function)
        for function in record.functions.values()
        if function.name == "__init__" and function.owner is not None
        for write in function.writes
        if write.how == "set" and isinstance(write.target, ir.Attribute)
    )


def _attributes(value: ir.Expr | None, function: ir.Function) -> tuple[str, ...]:
    """The attributes by which an expression is read from a method's own object."""
    names: list[str] = []
    if isinstance(value, ir.Call) and value.func == ir.ANNOTATED:
        value = value.args[-1]
    while isinstance(value, ir.Attribute):
        names.insert(0, value.name)
        value = value.base
    own = function.parameters[0].name if function.parameters else ""
    return tuple(names) if isinstance(value, ir.Name) and value.id == own else ()


def second_names_in(context: FileContext) -> Iterator[ClassChange]:
    """What makes the classes of a file keep each object under one name."""
    record = context.project.modules[context.tree.module]
    if not is_second_name(record):
        return
    hierarchy = context.evaluator.hierarchy
    for node in context.tree.of_kind(ast.ClassDef):
        name = hierarchy.class_name(context.scope(node), ir.Name(node.name))
        located = context.project.class_of(name) if name else None
        if name is None or located is None or located[1].line != node.lineno:
            continue
        if hierarchy.kind(name) not in OBJECTS or not stores_again(node):
            continue
        if not context.analysis.sharing.of(frozenset({Instance(name)})):
            continue
        found = _change(context, name, node)
        if found is not None:
            yield found


def _change(context: FileContext, name: str, node: ast.ClassDef) -> ClassChange | None:
    init = constructor(node)
    if init is None:
        return None
    aliases: list[Alias] = []
    for statement in ast.walk(init):
        if not isinstance(statement, ast.Assign | ast.AnnAssign):
            continue
        if context.tree.function_around(statement) is not init:
            continue
        try:
            alias = _alias(context, name, node, init, statement)
        except (NotRewritten, CannotEmit):
            continue
        if alias is not None and not any(alias.touches(each) for each in aliases):
            aliases.append(alias)
    try:
        edits = property_edits(context, init, aliases)
    except CannotEmit:
        return None
    if not aliases:
        return None
    first = aliases[0].statement
    return ClassChange(
        first.lineno, first.end_lineno or 0, tuple(edits), _finding(context, name, aliases)
    )


def _alias(
    context: FileContext,
    name: str,
    node: ast.ClassDef,
    init: ast.FunctionDef,
    statement: ast.Assign | ast.AnnAssign,
) -> Alias | None:
    """What a statement of a constructor stores once more, once it is known that nothing forbids
    that it is read there.

    Raises:
        NotRewritten: something does.
    """
    stored = stored_again(init, statement)
    if stored is None:
        return None
    own, second, value, path = stored
    values = context.values(value)
    if not _is_object(context, values):
        return None
    maker = _maker(context, statement, own, path[0])
    related = _related(context, name)
    _check_classes(context, name, node, related, {second, path[0]})
    _check_stores(context, related, {second, path[0]})
    _check_held(context, value)
    if path[0] < second:
        return Alias(statement, second, path)
    if len(path) > 1:
        raise NotRewritten(TwoNames.ORDER)
    return Alias(statement, path[0], (second,), renamed=maker)


def _is_object(context: FileContext, values: Values) -> bool:
    """Whether it is an object that no tree may hold twice, if it is anything."""
    is_node = context.analysis.sharing.ties.is_node
    objects = values - PLAIN
    return bool(objects) and all(is_node(value) for value in objects)


def _maker(
    context: FileContext, statement: ast.stmt, own: str, name: str
) -> ast.Assign | ast.AnnAssign:
    """The statement in front of another one, in the same block, that stores what that reads.

    Raises:
        NotRewritten: there is none, or that block may be run several times.
    """
    parent = context.tree.parents[statement]
    around: ast.AST = parent
    while isinstance(around, ast.If):
        around = context.tree.parents[around]
    if not isinstance(around, ast.FunctionDef):
        raise NotRewritten(TwoNames.PLACE)
    for block in (getattr(parent, "body", []), getattr(parent, "orelse", [])):
        if statement not in block:
            continue
        for before in block[: block.index(statement)]:
            match before:
                case (
                    ast.Assign(targets=[ast.Attribute(value=ast.Name(id=root), attr=attribute)])
                    | ast.AnnAssign(
                        target=ast.Attribute(value=ast.Name(id=root), attr=attribute),
                        value=ast.expr(),
                    )
                ) if root == own and attribute == name:
                    return before
    raise NotRewritten(TwoNames.PLACE)


def _related(context: FileContext, name: str) -> tuple[str, ...]:
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


def _check_classes(
    context: FileContext,
    own: str,
    node: ast.ClassDef,
    related: Sequence[str],
    names: set[str],
) -> None:
    """The names mean nothing else in any of the classes, and no class reads by name.

    Args:
        own: the class that `node` defines.

    Raises:
        NotRewritten: it is not so.
    """
    hierarchy, project = context.evaluator.hierarchy, context.project
    for each in related:
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


def _check_stores(context: FileContext, related: Sequence[str], names: set[str]) -> None:
    """Each name is stored once, by the statement that is looked at.

    Raises:
        NotRewritten: other code stores it, too, or may.
    """
    for name in sorted(names):
        own = sum(
            write.how in _REPLACING
            for each in related
            for write in _writes(context, each)
            if isinstance(write.target, ir.Attribute) and write.target.name == name
        )
        if own != 1 or _stored_elsewhere(context, name, related):
            raise NotRewritten(TwoNames.SET.about(name=name))
    for each in related:
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


def _stored_elsewhere(context: FileContext, name: str, related: Sequence[str]) -> bool:
    """Whether code outside of the methods may replace what such objects have under a name."""
    return any(
        _may_be(context, scope, write.target.base, related)
        for scope, write in context.evaluator.callers.mentions.outside_writes(name)
        if isinstance(write.target, ir.Attribute) and write.how in _REPLACING
    )


def _may_be(context: FileContext, scope: Scope, expr: ir.Expr, related: Sequence[str]) -> bool:
    values = context.evaluator.values(scope, expr)
    return is_unknown(values) or any(
        isinstance(value, Instance)
        and (value.class_name in related or not value.exact)
        and not set(related).isdisjoint(context.evaluator.hierarchy.classes_of(value))
        for value in values
    )


def _check_held(context: FileContext, value: ast.expr) -> None:
    """What the attributes behind the first one hold stays there.

    Raises:
        NotRewritten: it may be replaced.
    """
    while isinstance(value, ast.Attribute) and isinstance(value.value, ast.Attribute):
        holders = context.values(value.value)
        for holder in holders:
            if not isinstance(holder, Instance):
                raise NotRewritten(TwoNames.HELD.about(name=value.attr))
            related = _related(context, holder.class_name)
            replacing = sum(
                write.how in _REPLACING
                for each in related
                for write in _writes(context, each)
                if isinstance(write.target, ir.Attribute) and write.target.name == value.attr
            )
            known = 0 if layer_of(holder.class_name) is not None else 1
            if replacing > known or _stored_elsewhere(context, value.attr, related):
                raise NotRewritten(TwoNames.HELD.about(name=value.attr))
        if not holders:
            raise NotRewritten(TwoNames.HELD.about(name=value.attr))
        value = value.value


def _finding(context: FileContext, name: str, aliases: Sequence[Alias]) -> Finding:
    statement = aliases[0].statement
    start = context.text.offset(statement.lineno, statement.col_offset)
    column = start - context.text.line_start(statement.lineno) + 1
    short = short_name(name)
    said = " and ".join(f"{each.name} from {'.'.join(each.path)}" for each in aliases)
    message = f"{short} reads {said}, because tree mode takes no object that is kept twice"
    evidence = tuple(
        Evidence(
            str(ClassClaim.NOTHING_ELSE_SETS.about(name=each.name, read=each.path[0])),
            Proof.PROVED,
            context.where(each.statement),
        )
        for each in aliases
    )
    return Finding(RULE_NAME, statement.lineno, column, Outcome.REWRITTEN, message, evidence)
