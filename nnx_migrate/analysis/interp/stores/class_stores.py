"""What code stores in a class from outside of its body: `Net.go = f`, and `cls.net = Net()`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from nnx_migrate.analysis.callgraph.base import Evaluation
from nnx_migrate.analysis.domain.values import ClassValue, Located, Scope
from nnx_migrate.analysis.ir import nodes as ir

#: What is stored under each name.
_Stores = Mapping[str, tuple[Located, ...]]


def stored_in_class(evaluator: Evaluation, class_name: str, name: str) -> Iterator[Located]:
    """What other code stores in that attribute of a class, and its own class methods."""
    for scope, write in evaluator.callers.mentions.outside_writes(name):
        if isinstance(write.target, ir.Attribute) and write.value is not None:
            held = evaluator.values(scope, write.target.base)
            if ClassValue(class_name) in held:
                yield Located(scope, write.value)
    yield from _by_class_methods(evaluator, class_name).get(name, ())


def _by_class_methods(evaluator: Evaluation, class_name: str) -> _Stores:
    """What methods of a class store in it, found once for all names."""
    return evaluator.fixpoint.get(
        ("stored by class methods", class_name),
        lambda: _find_by_class_methods(evaluator, class_name),
        {},
        lambda found: found,
    )


def _find_by_class_methods(evaluator: Evaluation, class_name: str) -> _Stores:
    found: dict[str, tuple[Located, ...]] = {}
    located = evaluator.project.class_of(class_name)
    if located is None:
        return found
    module, record = located
    for key in record.methods.values():
        function = evaluator.project.function(Scope(module, key))
        if ir.Name("classmethod") not in function.decorators or not function.parameters:
            continue
        own = ir.Name(function.parameters[0].name)
        for write in function.writes:
            target = write.target
            if not isinstance(target, ir.Attribute) or target.base != own:
                continue
            if write.how == "set" and write.value is not None:
                stored = Located(Scope(module, key), write.value)
                found[target.name] = (*found.get(target.name, ()), stored)
    return found
