"""Whether a value is an object of nnx or holds such: a dataclass of Modules, say, or an agent."""

from __future__ import annotations

from nnx_migrate.analysis.domain.containers import any_leaf
from nnx_migrate.analysis.domain.values import Instance, Value
from nnx_migrate.analysis.heap.stored_names import stored_names
from nnx_migrate.analysis.heap.tied_attributes import OBJECTS
from nnx_migrate.analysis.interp.attributes import member
from nnx_migrate.analysis.interp.interpreter import Evaluator
from nnx_migrate.analysis.interp.record_fields import fields_of


def holds_objects(evaluator: Evaluator, value: Value, *, within: bool = True) -> bool:
    """Whether a value is an object of nnx, or one of the project with an attribute that is.

    Args:
        within: its attributes count, too; those of its attributes never do.
    """
    if not isinstance(value, Instance):
        return False
    kind = evaluator.hierarchy.kind(value.class_name)
    located = evaluator.project.class_of(value.class_name)
    if kind != "plain" or not within or located is None:
        return kind in OBJECTS
    names = [each.name for each in fields_of(evaluator, value.class_name)]
    names += stored_names(evaluator.project, *located)
    return any(
        any_leaf(
            member(evaluator, value, name),
            lambda part: holds_objects(evaluator, part, within=False),
        )
        for name in names
    )
