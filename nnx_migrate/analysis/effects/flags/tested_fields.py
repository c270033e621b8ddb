"""Effects that happen only when an attribute of some object is true: `if self.config.use_cache:`.

Who holds the object does not matter: what objects of these classes have there, all calls of the
classes settle, in whatever program the code runs.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator

from nnx_migrate.analysis.callgraph.base import Evaluation
from nnx_migrate.analysis.domain.values import Instance, Scope
from nnx_migrate.analysis.effects.effect import Effect, TestedField
from nnx_migrate.analysis.ir import nodes as ir

#: What may be of more classes than these, may be anything.
_MOST_CLASSES = 64


def field_tested(evaluator: Evaluation, scope: Scope, guard: str) -> TestedField | None:
    """The attribute that a test asks for, by "config.flag"; None where its object is not known."""
    base, _, name = guard.rpartition(".")
    if not base:
        return None
    first, *others = base.split(".")
    expr: ir.Expr = ir.Name(first)
    for each in others:
        expr = ir.Attribute(expr, each)
    classes: dict[str, None] = {}
    for value in evaluator.values(scope, expr):
        if not isinstance(value, Instance) or value.probable or value.partial:
            return None
        classes |= dict.fromkeys(evaluator.hierarchy.classes_of(value))
    of_project = all(evaluator.project.class_of(each) is not None for each in classes)
    if not classes or not of_project or len(classes) > _MOST_CLASSES:
        return None
    return TestedField(tuple(sorted(classes)), name)


def only_when(field: TestedField | None, effects: Iterable[Effect]) -> Iterator[Effect]:
    """Effects of what is done only when an attribute is true; None for no attribute."""
    for effect in effects:
        known = field is None or effect.field is not None
        yield effect if known else dataclasses.replace(effect, field=field)
