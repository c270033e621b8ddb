"""Which classes an object is made of, and which of these keep an Rngs."""

from __future__ import annotations

from collections.abc import Iterator

from nnx_migrate.analysis.domain.containers import parts_of
from nnx_migrate.analysis.domain.values import NOTHING, Instance, Scope, Value, Values, union
from nnx_migrate.analysis.interp.attributes import member
from nnx_migrate.analysis.interp.interpreter import Evaluator
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.symbols.passed_on import writes_in


def classes_held(evaluator: Evaluator, values: Values) -> frozenset[str]:
    """The classes of some objects and of all that they hold, as far as it is seen."""
    found: set[str] = set()
    pending: list[Value] = [*values]
    while pending:
        value = pending.pop()
        pending += (inner for part in parts_of(value) for inner in part)
        if not isinstance(value, Instance):
            continue
        pending += value.wraps
        if value.class_name in found:
            continue
        found.add(value.class_name)
        pending += _held_by(evaluator, value.class_name)
    return frozenset(found)


def _held_by(evaluator: Evaluator, class_name: str) -> Values:
    """What objects of a class have as the attributes that its methods set."""

    def held() -> Values:
        names = sorted(set(_own_attributes(evaluator, class_name)))
        return union(member(evaluator, Instance(class_name), name) for name in names)

    # It is asked at each of hundreds of sites.
    return evaluator.fixpoint.get(("held by", class_name), held, NOTHING, lambda found: found)


def keeps_rngs(evaluator: Evaluator, class_name: str) -> str:
    """The attribute by which objects of a class keep an Rngs that they were given, if they do."""
    return evaluator.fixpoint.get(
        ("keeps rngs", class_name),
        lambda: _rngs_of(evaluator, class_name),
        "",
        lambda found: found,
    )


def _rngs_of(evaluator: Evaluator, class_name: str) -> str:
    for name, write, scope in _writes(evaluator, class_name):
        if write.value is None or isinstance(write.value, ir.Call):
            continue  # what is made here, or split off, is its own
        values = evaluator.values(scope, write.value)
        kinds = (evaluator.hierarchy.kind(v.class_name) for v in values if isinstance(v, Instance))
        if "rngs" in kinds:
            return name
    return ""


def _own_attributes(evaluator: Evaluator, class_name: str) -> Iterator[str]:
    for name, _, _ in _writes(evaluator, class_name):
        yield name


def _writes(evaluator: Evaluator, class_name: str) -> Iterator[tuple[str, ir.Write, Scope]]:
    """What the methods of a class and of those above it store in its objects."""
    project = evaluator.project
    for ancestor in evaluator.hierarchy.ancestry(class_name).classes:
        located = project.class_of(ancestor)
        if located is None:
            continue
        module, record = located
        for key, function in project.methods_of(module, record.key):
            own = ir.Name(function.parameters[0].name) if function.parameters else ir.UNSEEN
            for write in writes_in(function):
                target = write.target
                if isinstance(target, ir.Attribute) and target.base == own:
                    yield target.name, write, Scope(module, key)
