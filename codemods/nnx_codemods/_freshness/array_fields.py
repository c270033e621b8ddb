"""Fields of trees that hold arrays of jax in every object that code in sight makes.

What a transform hands back of such a tree is what it was given. A number comes back as an array,
and an array of numpy as one of jax.
"""

from __future__ import annotations

from collections.abc import Iterator

from nnx_migrate.analysis.domain.values import ARRAY, Located, Scope, is_unknown
from nnx_migrate.analysis.interp.record_fields import passed_for_field
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.rewrite.model.context import FileContext

_ARRAYS = frozenset({"jax.Array", "jax.numpy.ndarray"})
_REPLACING = ("replace", "_replace")


def holds_arrays(context: FileContext, class_name: str, field: str) -> bool:
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
