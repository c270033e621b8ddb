"""What of a project keeps a class from becoming a pytree, beside what it keeps itself."""

from __future__ import annotations

from nnx_migrate.analysis.domain.containers import is_container, leaves
from nnx_migrate.analysis.domain.values import Instance, Scope, short_name
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.core.place import Place
from nnx_migrate.rewrite.classes.attribute_stores import (
    NoPytree,
    Stores,
    held_in,
    holds_data_within,
    is_data,
)
from nnx_migrate.rewrite.classes.held import classes_held
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import NotRewritten

_FALSE = ir.Constant("number", "False")
#: The functions of `jax.tree` and `jax.tree_util` by their last names.
_OF_TREES = tuple(
    f"{prefix}{name}"
    for prefix in ("", "tree_")
    for name in (
        *("all", "flatten", "flatten_with_path", "leaves", "leaves_with_path", "map"),
        *("map_with_path", "reduce", "structure", "transpose"),
    )
)


def says_no_pytree(record: ir.Class) -> bool:
    """Whether a class says that it is none, by its keywords or by its base."""
    return ("pytree", _FALSE) in record.keywords or any(
        ir.last_name(base) == "Object" for base in record.bases
    )


def check_above(context: FileContext, name: str, stores: Stores) -> None:
    """The classes above keep the same kinds of things under the same names.

    Raises:
        NotRewritten: they do not, or keep what flax would refuse.
    """
    for above in context.evaluator.hierarchy.ancestry(name).classes[1:]:
        located = context.project.class_of(above)
        if located is None:
            if above == "flax.nnx.bridge.Module":
                raise NotRewritten(NoPytree.ABOVE.about(name=short_name(above)))
            continue
        module, record = located
        methods = [function for _, function in context.project.methods_of(module, record.key)]
        written = (w.target for function in methods for w in function.writes)
        for own in sorted({w.name for w in written if isinstance(w, ir.Attribute)}):
            held = held_in(context, above, own)
            if holds_data_within(context, held) and not says_no_pytree(record):
                raise NotRewritten(NoPytree.MIXED.about(name=own))
            data = any(is_data(context, value) for value in leaves(held))
            if held and held_in(context, name, own) and data != (own in stores.data):
                raise NotRewritten(NoPytree.OTHERS.about(name=own))


def check_outside(context: FileContext, name: str, stores: Stores) -> None:
    """What other code sets in objects of the class is what the class itself keeps there.

    Raises:
        NotRewritten: it is not.
    """
    mentions = context.evaluator.callers.mentions
    for attribute in sorted(mentions.names_written_outside()):
        for scope, write in mentions.outside_writes(attribute):
            if not isinstance(write.target, ir.Attribute) or write.value is None:
                continue
            if write.how != "set" or not _is_of(context, scope, write.target.base, name):
                continue
            values = context.evaluator.values(scope, write.value)
            data = any(is_data(context, value) for value in leaves(values))
            within = any(map(is_container, values)) and attribute not in stores.names
            if (data and within) or data != (attribute in stores.data):
                place = Place(scope.module, write.line)
                raise NotRewritten(NoPytree.FROM_OUTSIDE.about(place, name=attribute))


def check_leaves(context: FileContext, name: str) -> None:
    """No function of jax takes an object of the class for a leaf.

    Raises:
        NotRewritten: one does.
    """
    mentions = context.evaluator.callers.mentions
    for last in _OF_TREES:
        for scope, call in mentions.calls_of(last):
            dotted = context.project.dotted(scope, call.func) or ""
            if not dotted.startswith(("jax.tree.", "jax.tree_util.")):
                continue
            given = (*call.args, *(value for _, value in call.keywords))
            if any(_is_of(context, scope, each, name) for each in given):
                raise NotRewritten(NoPytree.AS_TREE.about(Place(scope.module, call.line)))


def check_mode_asked(context: FileContext, name: str) -> None:
    """No call that asks for tree mode itself gets an object of the class: it raises today.

    Raises:
        NotRewritten: one does.
    """
    evaluator = context.evaluator
    for scope, call in evaluator.callers.mentions.calls_with_keyword("graph"):
        if dict(call.keywords)["graph"] != _FALSE:
            continue
        given = [*call.args, *(value for _, value in call.keywords)]
        if isinstance(call.func, ir.Attribute):
            given.append(call.func.base)
        values = evaluator.all_of(scope, tuple(given))
        if name in classes_held(evaluator, values):
            raise NotRewritten(NoPytree.MODE_ASKED.about(Place(scope.module, call.line)))


def _is_of(context: FileContext, scope: Scope, expr: ir.Expr, name: str) -> bool:
    """Whether an expression may be an object of a class, or a container of some."""
    hierarchy = context.evaluator.hierarchy
    return any(
        isinstance(value, Instance)
        and (
            name in hierarchy.ancestry(value.class_name).classes
            or (not value.exact and value.class_name in hierarchy.ancestry(name).classes[1:])
        )
        and value.class_name != "flax.nnx.Module"
        for value in leaves(context.evaluator.values(scope, expr))
    )
