"""What attributes of classes hold: what bodies bind, `Net.go = f`, `Net.CACHE[key] = x`."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Mapping

from nnx_migrate.analysis.callgraph.base import Evaluation
from nnx_migrate.analysis.domain.values import NOTHING, ClassValue, Located, Scope, Values
from nnx_migrate.analysis.interp.containers.put_by_functions import put_by_functions
from nnx_migrate.analysis.interp.containers.puts import holds_container, stored_by
from nnx_migrate.analysis.interp.stores.outside import OutsideStores
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.ir.lowering.expressions import is_new_container

#: What is stored under each name.
_Stores = Mapping[str, tuple[Located, ...]]
#: How something is put into a container, whichever object holds that.
_PUTTING = frozenset({"item", "key", "grow"})


def attribute_of_class(evaluator: Evaluation, class_name: str, name: str) -> Values:
    """What the body of a class, or code outside of it, binds to one of its names."""
    found: Values = NOTHING
    for above in evaluator.hierarchy.ancestry(class_name).classes:
        located = evaluator.project.class_of(above)
        if located is not None:
            scope = Scope(located[0], located[1].scope)
            bound = located[1].attributes.get(name, ())
            found |= evaluator.all_of(scope, bound)
            if any(map(is_new_container, bound)):  # with what methods put into it
                for put in evaluator.stored(above, name):
                    found |= evaluator.values(put.scope, put.expr)
            for stored in stored_in_class(evaluator, above, name):
                found |= evaluator.values(stored.scope, stored.expr)
            for put in put_in_class(evaluator, above, name) if holds_container(found) else ():
                found |= evaluator.values(put.scope, put.expr)
        if found:
            break
    return found


def stored_in_class(evaluator: Evaluation, class_name: str, name: str) -> Iterator[Located]:
    """What other code stores in that attribute of a class, and its own class methods."""
    for scope, write in evaluator.callers.mentions.outside_writes(name):
        if write.how not in _PUTTING and _is_of(evaluator, scope, write, (class_name,)):
            assert write.value is not None
            yield Located(scope, write.value)
    yield from _by_class_methods(evaluator, class_name).get(name, ())


def put_in_class(evaluator: Evaluation, class_name: str, name: str) -> Iterator[Located]:
    """What other code puts into the container in that attribute: `Net.CACHE[key] = x`."""
    return put_in_classes(evaluator, (class_name,), name)


def put_in_classes(
    evaluator: Evaluation, class_names: Collection[str], name: str
) -> Iterator[Located]:
    """The same of any of some classes."""
    mentions = evaluator.callers.mentions
    for scope, write in mentions.outside_writes(name):
        if write.how in _PUTTING and _is_of(evaluator, scope, write, class_names):
            yield stored_by(scope, write)
    for scope, put in mentions.outside_puts(name):
        if _is_of(evaluator, scope, put, class_names):
            assert put.value is not None
            yield Located(scope, put.value)
    for each in put_by_functions(evaluator, name):
        if each.base and _is_one_of(evaluator.values(each.where, each.base), class_names):
            yield each.put
    yield from OutsideStores(evaluator, name).put_in(class_names)
    descendants = map(evaluator.hierarchy.descendants, class_names)
    for below in dict.fromkeys(itertools.chain.from_iterable(descendants)):
        yield from evaluator.put(below, name)


def _is_of(
    evaluator: Evaluation, scope: Scope, write: ir.Write, class_names: Collection[str]
) -> bool:
    """Whether a store goes to an attribute of a class itself, and not of an object of it."""
    if not isinstance(write.target, ir.Attribute):
        return False
    return _is_one_of(evaluator.values(scope, write.target.base), class_names)


def _is_one_of(values: Values, class_names: Collection[str]) -> bool:
    return any(isinstance(v, ClassValue) and v.class_name in class_names for v in values)


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
