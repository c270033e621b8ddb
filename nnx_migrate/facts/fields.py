"""Fields of classes that have no constructor of their own: dataclasses, NamedTuples."""

from __future__ import annotations

from collections.abc import Iterator

from nnx_migrate.facts import ir
from nnx_migrate.facts.evaluation import Evaluation
from nnx_migrate.facts.values import Located, Scope


def passed_for_field(evaluator: Evaluation, class_name: str, name: str) -> Iterator[Located]:
    """What the calls in sight of a class pass for one of its fields."""
    located = evaluator.project.class_of(class_name)
    hierarchy = evaluator.hierarchy
    if located is None or isinstance(hierarchy.method(class_name, "__init__"), Scope):
        return
    fields = _fields(evaluator, class_name)
    place = fields.index(name) if name in fields else None
    for where, call in evaluator.callers.mentions.calls_of(located[1].name):
        if hierarchy.class_name(where, call.func) != class_name:
            continue
        yield from (Located(where, value) for keyword, value in call.keywords if keyword == name)
        before = call.args[: place + 1] if place is not None else ()
        if place is not None and place < len(before) and not _any_unpacked(before):
            yield Located(where, before[place])


def _fields(evaluator: Evaluation, class_name: str) -> list[str]:
    """The fields in the order of the arguments, those of base classes first."""
    found: dict[str, None] = {}
    for above in reversed(evaluator.hierarchy.ancestry(class_name).classes):
        located = evaluator.project.class_of(above)
        if located is not None:
            found |= dict.fromkeys(located[1].annotations)
    return list(found)


def _any_unpacked(arguments: tuple[ir.Expr, ...]) -> bool:
    return any(isinstance(each, ir.Starred) for each in arguments)
