"""What the methods of a class keep in its attributes, and what of it flax has to be told is data.

A Module made with `pytree=False` may keep anything anywhere. One that is a pytree finds Modules,
Variables and arrays by itself where an attribute is one, and refuses a list or a dict of them
unless `nnx.data` marks it; it refuses, too, to put one where something else was before
(docs/semantics.md: JIT-E). Both it does when the object is made, with an error.
"""

from __future__ import annotations

import ast
import dataclasses
import enum
from collections.abc import Iterable, Iterator, Sequence

from nnx_migrate.analysis.domain.containers import is_container, leaves
from nnx_migrate.analysis.domain.values import Basic, Instance, Value, Values, is_unknown
from nnx_migrate.analysis.interp.attributes import member
from nnx_migrate.core.refusal import Cause
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import NotRewritten

_OBJECTS = frozenset({"module", "metric", "variable", "rngs", "optimizer", "state"})


@enum.unique
class NoPytree(Cause):
    """Why a class stays one that is no pytree."""

    SILENCED = "a comment or an earlier check keeps it as it is"
    BASES = "some of its base classes are unknown"
    DECORATED = "the effect of its decorators is unknown"
    ABOVE = "{name} is not a pytree either, and stays so"
    HIDDEN = "some values that {name} holds are unknown"
    MIXED = "{name} mixes Modules or arrays with other values"
    OTHERS = "{name} is set to Modules or arrays in one place, and to other things in another"
    UNPACKED = "{name} is set together with other names"
    NAMED_TUPLE = "{name} is a pytree that is not an nnx object, and holds Variables"
    FROM_OUTSIDE = "code outside of its methods sets {name} ({place})"
    AS_TREE = "a function of jax.tree gets it, and treats it as a leaf ({place})"
    MODE_ASKED = "a call that asks for tree mode itself gets it ({place})"
    SPELLING = "{name} cannot be changed here"


@dataclasses.dataclass(frozen=True, slots=True)
class Stores:
    """What a class keeps.

    Args:
        marked: the values that `nnx.data` is to mark.
        names: the attributes that these are stored in.
        data: the attributes that hold Modules, Variables or arrays, marked or not.
        unseen: the attributes of which not all is known; flax refuses what does not fit there.
    """

    marked: tuple[ast.expr, ...]
    names: tuple[str, ...]
    data: frozenset[str]
    unseen: tuple[str, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class _Store:
    """`self.name = value`; without a value where it is bound together with others."""

    statement: ast.stmt
    name: str
    value: ast.expr | None


def stores_of(context: FileContext, class_name: str, node: ast.ClassDef) -> Stores:
    """What a class of the file keeps in its attributes.

    Args:
        class_name: the class, over the whole project.

    Raises:
        NotRewritten: what it keeps cannot be told apart into data and all else.
    """
    by_name: dict[str, list[_Store]] = {name: [] for name in _fields(context, node)}
    for store in _stores(context, node):
        by_name.setdefault(store.name, []).append(store)
    marked: list[ast.expr] = []
    names: list[str] = []
    data: set[str] = set()
    unseen: list[str] = []
    for name, stores in by_name.items():
        held = held_in(context, class_name, name)
        if not stores:  # a field of a dataclass
            held = member(context.evaluator, Instance(class_name, exact=True), name)
        if is_declared_data(context, node, name):
            data.add(name)
            continue
        found = _to_mark(context, name, stores, held)
        if found:
            names.append(name)
            marked += found
        if any(is_data(context, value) for value in leaves(held)):
            data.add(name)
        if is_unknown(frozenset(v for v in held if not is_container(v))):
            unseen.append(name)
    return Stores(tuple(marked), tuple(names), frozenset(data), tuple(unseen))


def is_dataclass(context: FileContext, node: ast.ClassDef) -> bool:
    """Whether a class gets its constructor from its fields, and nothing else decorates it."""
    made = [each.func if isinstance(each, ast.Call) else each for each in node.decorator_list]
    return [context.tree.dotted(each) for each in made] in (
        ["dataclasses.dataclass"],
        ["flax.nnx.dataclass"],
    )


def _fields(context: FileContext, node: ast.ClassDef) -> list[str]:
    """The attributes that the constructor of a dataclass sets."""
    if not is_dataclass(context, node):
        return []
    return [
        statement.target.id
        for statement in node.body
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name)
    ]


def held_in(context: FileContext, class_name: str, name: str) -> Values:
    """All that a class stores in an attribute, and what is put there later."""
    evaluator = context.evaluator
    found: Values = frozenset()
    for stored in evaluator.stored(class_name, name):
        found |= evaluator.values(stored.scope, stored.expr)
    return found


def is_data(context: FileContext, value: Value) -> bool:
    """Whether flax takes a value for data by itself."""
    if isinstance(value, Instance):
        return context.evaluator.hierarchy.kind(value.class_name) in _OBJECTS
    return value in (Basic("array"), Basic("state"))


def holds_data_within(context: FileContext, values: Values) -> bool:
    """Whether a list, dict or tuple among some values holds data."""
    inside = leaves(frozenset(value for value in values if is_container(value)))
    return any(is_data(context, value) for value in inside)


def is_declared_data(context: FileContext, node: ast.ClassDef, name: str) -> bool:
    """Whether the class says of an attribute that it is data: `blocks: nnx.Data[list[Block]]`."""
    for statement in node.body:
        match statement:
            case ast.AnnAssign(target=ast.Name(id=own), annotation=said, value=value):
                parts = [each for each in (said, value) if each is not None]
                if own == name and any(_says_data(context, part) for part in parts):
                    return True
    return False


def _says_data(context: FileContext, expression: ast.expr) -> bool:
    return any(
        context.tree.nnx_name(each) in {"Data", "data"}
        for each in ast.walk(expression)
        if isinstance(each, ast.Name | ast.Attribute)
    )


def _to_mark(
    context: FileContext, name: str, stores: Sequence[_Store], held: Values
) -> list[ast.expr]:
    """The values stored under one name that `nnx.data` is to mark."""
    _check_trees(context, name, held)
    containers = frozenset(value for value in held if is_container(value))
    inside = leaves(containers)
    within = [is_data(context, value) for value in inside]
    if containers and any(is_unknown(frozenset({value})) for value in inside):
        raise NotRewritten(NoPytree.HIDDEN.about(name=name))
    if any(within) and not all(within):
        raise NotRewritten(NoPytree.MIXED.about(name=name))
    if any(within) and not (stores and all(store.value for store in stores)):
        raise NotRewritten(NoPytree.UNPACKED.about(name=name))
    if not any(is_data(context, value) for value in leaves(held)):
        return []
    marked = [_container(context, store) for store in stores] if any(within) else []
    marked += [_nothing_before(context, store, stores) for store in stores]
    return [value for value in marked if value is not None]


def _check_trees(context: FileContext, name: str, held: Values) -> None:
    """No NamedTuple or the like with Variables in it is among them.

    Raises:
        NotRewritten: one is.
    """
    for value in held:
        tree = isinstance(value, Instance) and context.evaluator.hierarchy.is_plain_tree(
            value.class_name
        )
        if tree and context.analysis.contents.of(frozenset({value})).variables:
            raise NotRewritten(NoPytree.NAMED_TUPLE.about(name=name))


def _container(context: FileContext, store: _Store) -> ast.expr | None:
    """What is stored, if that may be a list, dict or tuple that nothing marks so far."""
    value = store.value
    if value is None or not any(map(is_container, context.values(value))):
        return None
    says = isinstance(value, ast.Call) and _says_data(context, value.func)
    return None if says else value


def _nothing_before(
    context: FileContext, store: _Store, stores: Sequence[_Store]
) -> ast.expr | None:
    """The None that an attribute is before it is something: flax keeps what it was first.

    Raises:
        NotRewritten: it is something else that is no data.
    """
    if store.value is None or not _is_other(context, store.value):
        return None
    after = [
        each.statement
        for each in stores
        if each.value is None or not _is_other(context, each.value)
    ]
    if all(_exclude_each_other(context, store.statement, each) for each in after):
        return None
    if not (isinstance(store.value, ast.Constant) and store.value.value is None):
        raise NotRewritten(NoPytree.OTHERS.about(name=store.name))
    return store.value


def _is_other(context: FileContext, stored: ast.expr) -> bool:
    """Whether what is stored is certainly nothing that is data, or holds some."""
    values = context.values(stored)
    known = not is_unknown(values)
    return known and not any(is_container(v) or is_data(context, v) for v in values)


def _exclude_each_other(context: FileContext, one: ast.stmt, other: ast.stmt) -> bool:
    """Whether two statements stand in different arms of one `if`, and no call runs both."""
    arms = {id(node): arm for node, arm in _arms(context, one)}
    return any(
        id(node) in arms and arms[id(node)] is not arm for node, arm in _arms(context, other)
    )


def _arms(context: FileContext, statement: ast.stmt) -> Iterator[tuple[ast.If, list[ast.stmt]]]:
    """Each `if` around a statement, with the arm of it that holds the statement."""
    child: ast.AST = statement
    for node in context.tree.ancestors(statement):
        if isinstance(node, ast.If):
            yield node, node.body if child in node.body else node.orelse
        child = node


def _stores(context: FileContext, node: ast.ClassDef) -> Iterator[_Store]:
    """Where the methods of a class set attributes of their own object."""
    for method in node.body:
        if not isinstance(method, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        positional = [*method.args.posonlyargs, *method.args.args]
        if not positional:
            continue
        for statement in ast.walk(method):
            for target, value in _assigned(statement):
                match target:
                    case ast.Attribute(value=ast.Name(id=own), attr=name) if (
                        own == positional[0].arg
                    ):
                        assert isinstance(statement, ast.stmt)
                        yield _Store(statement, name, value)


def _assigned(statement: ast.AST) -> Iterator[tuple[ast.expr, ast.expr | None]]:
    """What a statement binds, each with what it is bound to where it is bound alone."""
    match statement:
        case ast.Assign(targets=[ast.Attribute() as target], value=value):
            yield target, value
        case ast.AnnAssign(target=target, value=ast.expr() as value):
            yield target, value
        case ast.Assign(targets=targets):
            yield from ((each, None) for each in _inner(targets))
        case ast.For(target=target) | ast.AsyncFor(target=target):
            yield from ((each, None) for each in _inner([target]))
        case ast.With(items=items) | ast.AsyncWith(items=items):
            bound = [item.optional_vars for item in items if item.optional_vars is not None]
            yield from ((each, None) for each in _inner(bound))


def _inner(targets: Iterable[ast.expr]) -> Iterator[ast.expr]:
    for target in targets:
        match target:
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                yield from _inner(parts)
            case ast.Starred(value=inner):
                yield from _inner([inner])
            case _:
                yield target
