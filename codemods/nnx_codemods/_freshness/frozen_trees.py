"""Trees that nobody changes, and that hold objects and arrays of jax alone, by all code in sight.

What a transform hands back of such a tree is what it was given. A number comes back as an array,
and an array of numpy as one of jax.
"""

from __future__ import annotations

from collections.abc import Iterator

from nnx_codemods._evidence import is_graph_node
from nnx_migrate.analysis.domain.values import ARRAY, Instance, Located, Scope, is_unknown
from nnx_migrate.analysis.interp.record_fields import passed_for_field
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.rewrite.model.context import FileContext

#: Classes that jax looks into, and whose objects stay as they were made.
_FROZEN_BASES = frozenset({"flax.struct.PyTreeNode", "typing.NamedTuple"})
_FREEZING = "flax.struct.dataclass"
_ARRAYS = frozenset({"jax.Array", "jax.numpy.ndarray"})
_REPLACING = ("replace", "_replace")


def is_frozen_tree(
    context: FileContext, scope: Scope, expr: ir.Expr, within: frozenset[str] = frozenset()
) -> bool:
    """Whether an expression is a tree that nobody changes, and of objects and arrays alone."""
    values = context.evaluator.values(scope, expr)
    for value in values:
        if not isinstance(value, Instance) or value.partial or value.probable:
            return False
        name = value.class_name
        if name in within or not _is_frozen(context, name):
            return False
        fields = context.evaluator.hierarchy.fields(name)
        if not fields:
            return False
        for field in fields:
            part = ir.Attribute(expr, field)
            held = context.evaluator.values(scope, part)
            if not (
                (held and held <= ARRAY and _holds_arrays(context, name, field))
                or is_graph_node(context, held)
                or is_frozen_tree(context, scope, part, within | {name})
            ):
                return False
    return bool(values)


def _is_frozen(context: FileContext, class_name: str) -> bool:
    hierarchy = context.evaluator.hierarchy
    ancestry = hierarchy.ancestry(class_name)
    if not ancestry.closed or not hierarchy.is_plain_tree(class_name):
        return False
    if not _FROZEN_BASES.isdisjoint(ancestry.classes):
        return True
    located = context.project.class_of(class_name)
    if located is None:
        return False
    scope = Scope(located[0], located[1].scope)
    for decorator in located[1].decorators:
        target = decorator.func if isinstance(decorator, ir.Call) else decorator
        if context.project.dotted(scope, target) == _FREEZING:
            return True
    return False


def _holds_arrays(context: FileContext, class_name: str, field: str) -> bool:
    """Whether a field says that it holds arrays of jax, and is seen to get nothing else."""
    for name in context.evaluator.hierarchy.ancestry(class_name).classes:
        located = context.project.class_of(name)
        if located is None or field not in located[1].annotations:
            continue
        scope = Scope(located[0], located[1].scope)
        if context.project.dotted(scope, located[1].annotations[field]) not in _ARRAYS:
            return False
        if any(_is_default(each) for each in located[1].attributes.get(field, ())):
            return False
        return all(_may_be_array(context, each) for each in _put(context, class_name, field))
    return False


def _is_default(value: ir.Expr) -> bool:
    match value:
        case ir.Call(func=ir.ANNOTATED, args=(_,)):
            return False
        case _:
            return True


def _put(context: FileContext, class_name: str, field: str) -> Iterator[Located]:
    """What calls of the class pass for a field, and those that make one object like another."""
    yield from passed_for_field(context.evaluator, class_name, field)
    for tables in context.project.tables:
        for name in _REPLACING:
            for record, scope, call in tables.calls.get(name, ()):
                if not context.project.holds(record):
                    continue
                for keyword, value in call.keywords:
                    if keyword is None:
                        yield Located(scope, ir.Element(value))
                    elif keyword == field:
                        yield Located(scope, value)


def _may_be_array(context: FileContext, put: Located) -> bool:
    """Whether it is an array, or what is not known is one, as the field says."""
    values = context.evaluator.values(put.scope, put.expr)
    known = frozenset(each for each in values if not is_unknown(frozenset({each})))
    return known <= ARRAY and not _is_of_numpy(context, put)


def _is_of_numpy(context: FileContext, put: Located) -> bool:
    """Whether numpy makes it, where it stands."""
    func = put.expr.func if isinstance(put.expr, ir.Call) else None
    dotted = "" if func is None else context.project.dotted(put.scope, func) or ""
    return dotted.partition(".")[0] == "numpy"
