"""What is stored in an attribute: by the code of its class, and by other code."""

from __future__ import annotations

import collections
from collections.abc import Iterator, Mapping

from nnx_migrate.analysis.callgraph.base import Evaluation
from nnx_migrate.analysis.domain.values import (
    Basic,
    ClassValue,
    Instance,
    Located,
    Scope,
    Value,
    is_unknown,
)
from nnx_migrate.analysis.interp.annotations import annotated
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.ir.lower_expressions import is_new_container
from nnx_migrate.analysis.symbols.class_hierarchy import Hierarchy
from nnx_migrate.analysis.symbols.passed_on import writes_in


def stored_by_class(hierarchy: Hierarchy, class_name: str, name: str) -> list[Located]:
    """Every value that a class's own methods store in `self.<name>`, or its body does."""
    project = hierarchy.project
    located = project.class_of(class_name)
    if located is None:
        return []
    module, record = located
    found = [
        Located(Scope(module, record.scope), value) for value in record.attributes.get(name, ())
    ]
    keyed: list[tuple[Scope, ir.Expr]] = []
    for key, function in project.methods_of(module, record.key):
        if not function.parameters:
            continue
        target = ir.Attribute(ir.Name(function.parameters[0].name), name)
        writes = [w for w in writes_in(function) if w.target == target and w.value is not None]
        if function.name == "__init__" and any(w.how == "set" for w in writes):
            found = [each for each in found if not _says_nothing(hierarchy, each)]
        for write in writes:
            if write.how in {"set", "grow", "augment"} and write.value is not None:
                found.append(Located(Scope(module, key), write.value))
        keyed += [(Scope(module, key), w.value) for w in writes if w.how == "key" and w.value]
    if any(is_new_container(each.expr) for each in found):
        found += [Located(scope, ir.Sequence((value,), is_tuple=False)) for scope, value in keyed]
    return found


def _says_nothing(hierarchy: Hierarchy, stored: Located) -> bool:
    """Whether it is a lone `name: Callable`, which stores nothing where `__init__` does."""
    match stored.expr:
        case ir.Call(func=ir.ANNOTATED, args=(annotation,)):
            return is_unknown(annotated(hierarchy, stored.scope, annotation))
        case _:
            return False


def stored_outside(evaluator: Evaluation, class_name: str, name: str) -> list[Located]:
    """What other code stores in that attribute of something that is shown to be of the class.

    Stores to things that nothing is known of are not among it.
    """
    found = []
    for scope, write in evaluator.callers.mentions.outside_writes(name):
        if not isinstance(write.target, ir.Attribute) or write.value is None:
            continue
        bases = evaluator.values(scope, write.target.base)
        if not any(_may_be(evaluator, value, class_name) for value in bases):
            continue
        if write.how in {"item", "key"} and _holds_arrays(evaluator, class_name, name):
            continue  # `m.w[...] = x` gives what is there another value
        stored = write.value
        if write.how == "key":
            stored = ir.Sequence((stored,), is_tuple=False)
        found.append(Located(scope, stored))
    return found


def stored_in_class(evaluator: Evaluation, class_name: str, name: str) -> Iterator[Located]:
    """What other code stores in that attribute of a class: `Net.go = f`."""
    for scope, write in evaluator.callers.mentions.outside_writes(name):
        if isinstance(write.target, ir.Attribute) and write.value is not None:
            held = evaluator.values(scope, write.target.base)
            if ClassValue(class_name) in held:
                yield Located(scope, write.value)


def _may_be(evaluator: Evaluation, value: Value, class_name: str) -> bool:
    if not isinstance(value, Instance):
        return False
    above = evaluator.hierarchy.ancestry(value.class_name).classes
    return class_name in above or value.class_name in (
        evaluator.hierarchy.ancestry(class_name).classes
    )


def _holds_arrays(evaluator: Evaluation, class_name: str, name: str) -> bool:
    """Whether an attribute is a Variable or an array by all that its class stores in it."""
    stored = evaluator.stored(class_name, name)
    own = [evaluator.values(each.scope, each.expr) for each in stored]
    return bool(own) and all(
        bool(values) and all(_is_array(evaluator, value) for value in values) for values in own
    )


def _is_array(evaluator: Evaluation, value: Value) -> bool:
    if isinstance(value, Instance):
        return evaluator.hierarchy.kind(value.class_name) == "variable"
    return value == Basic("array")


def names_stored_outside(evaluator: Evaluation) -> Mapping[str, set[str]]:
    """Class -> names of the attributes that other code stores in its instances."""
    found: dict[str, set[str]] = collections.defaultdict(set)
    mentions = evaluator.callers.mentions
    for name in mentions.names_written_outside():
        for scope, write in mentions.outside_writes(name):
            if isinstance(write.target, ir.Attribute):
                for value in evaluator.values(scope, write.target.base):
                    if isinstance(value, Instance):
                        found[value.class_name].add(name)
    return found
