"""What the elements of a NamedTuple are: its fields."""

from __future__ import annotations

from nnx_migrate.analysis.callgraph.base import Evaluation
from nnx_migrate.analysis.domain.values import NOTHING, Instance, Value, Values, union
from nnx_migrate.analysis.interp.attributes import member


def field_values(evaluator: Evaluation, value: Value, index: int | None = None) -> Values:
    """What the field of a NamedTuple at an index can be, or any of them; nothing of others."""
    if not isinstance(value, Instance):
        return NOTHING
    names = evaluator.hierarchy.named_tuple_fields(value.class_name)
    if index is not None:
        names = names[index : index + 1 or None]
    return union(member(evaluator, value, name) for name in names)
