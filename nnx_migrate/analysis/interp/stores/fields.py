"""What attributes hold: by what their classes store and declare, and by what other code stores.

An object of a class of which hundreds are below is asked about in every round of every circle: each
class is gone through once, and of each attribute only the classes are looked at that have it.
"""

from __future__ import annotations

import collections
import itertools
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from nnx_migrate.analysis.callgraph.base import Evaluation
from nnx_migrate.analysis.domain.values import (
    NOTHING,
    Instance,
    Located,
    Scope,
    Values,
    is_unknown,
)
from nnx_migrate.analysis.flax.names import layer_of
from nnx_migrate.analysis.interp.annotations import annotated, calls_tell_more
from nnx_migrate.analysis.interp.containers.puts import put_under
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.ir.lowering.expressions import is_new_container
from nnx_migrate.analysis.symbols.class_hierarchy import Hierarchy
from nnx_migrate.analysis.symbols.occurrences import Mentions
from nnx_migrate.analysis.symbols.passed_on import writes_in

_NOTHING_STORED: list[Located] = []


class _Store(NamedTuple):
    """A store of a method in its own object: `self.name = value`.

    Args:
        how: as of `ir.Write`, or "put" of what is put into what may be a container.
    """

    method: Scope
    how: str
    value: ir.Expr
    key: str


class ClassAttributes:
    """Answers, each question once, what the classes of a project say of attributes."""

    def __init__(self, hierarchy: Hierarchy, mentions: Mentions) -> None:
        self.hierarchy = hierarchy
        self.project = hierarchy.project
        self.mentions = mentions
        self._stores: dict[str, Mapping[str, Sequence[_Store]]] = {}
        #: By class and name; of hundreds of classes few have an attribute that is asked for.
        self._stored: dict[str, dict[str, list[Located]]] = {}
        self._put: dict[str, dict[str, list[Located]]] = {}
        self._storing: dict[tuple[str, bool, str], tuple[str, ...]] = {}
        self._declared: dict[tuple[str, bool, str], Values] = {}

    def stored(self, class_name: str, name: str) -> list[Located]:
        """Every value that the class's own methods store in `self.<name>`, or its body does."""
        known = self._stored.setdefault(class_name, {})
        if name in known:
            return known[name]
        found = self._find_stored(class_name, name)
        if found is not _NOTHING_STORED:
            known[name] = found
        return found

    def put(self, class_name: str, name: str) -> list[Located]:
        """What its methods put into what they store there, where that may be a container."""
        self.stored(class_name, name)
        return self._put.get(class_name, {}).get(name, _NOTHING_STORED)

    def storing(self, instance: Instance, name: str) -> tuple[str, ...]:
        """The classes, of those an object may be of, that may say what it has under a name.

        All of them, where other code stores something under it in objects that it has to tell.
        """
        key = instance.class_name, instance.exact, name
        if key not in self._storing:
            related = dict.fromkeys(self._related(instance))
            if next(self.mentions.outside_writes(name), None) is None:
                self._storing[key] = tuple(each for each in related if self._has(each, name))
            else:
                self._storing[key] = tuple(related)
        return self._storing[key]

    def declared(self, instance: Instance, name: str) -> Values:
        """What the annotation of an attribute allows; nothing without one."""
        key = instance.class_name, instance.exact, name
        if key not in self._declared:
            self._declared[key] = self._find_declared(instance, name)
        return self._declared[key]

    def _related(self, instance: Instance) -> tuple[str, ...]:
        above = self.hierarchy.ancestry(instance.class_name).classes
        below = () if instance.exact else self.hierarchy.descendants(instance.class_name)
        return above + below

    def _has(self, class_name: str, name: str) -> bool:
        layer = layer_of(class_name)
        if layer is None:
            return bool(self.stored(class_name, name) or self.put(class_name, name))
        return layer.attribute(name) is not None

    def _find_declared(self, instance: Instance, name: str) -> Values:
        for class_name in self._related(instance):
            located = self.project.class_of(class_name)
            if located is not None and name in located[1].annotations:
                scope = Scope(located[0], located[1].scope)
                return annotated(self.hierarchy, scope, located[1].annotations[name])
        return NOTHING

    def _find_stored(self, class_name: str, name: str) -> list[Located]:
        located = self.project.class_of(class_name)
        if located is None:
            return _NOTHING_STORED
        module, record = located
        if class_name not in self._stores:
            self._stores[class_name] = self._stores_of(module, record.key)
        stores = self._stores[class_name].get(name, ())
        bound = record.attributes.get(name, ())
        if not stores and not bound:
            return _NOTHING_STORED
        found = [Located(Scope(module, record.scope), value) for value in bound]
        put: list[Located] = []
        for method, of_method in itertools.groupby(stores, key=lambda store: store.method):
            own = list(of_method)
            in_constructor = self.project.function(method).name == "__init__"
            if in_constructor and any(store.how == "set" for store in own):
                told = any(self._is_declared_parameter(method, store) for store in own)
                found = [each for each in found if not self._says_nothing(each, told)]
            for store in own:
                if store.how in {"set", "grow", "augment"}:
                    found.append(Located(method, store.value))
                elif store.how == "key":
                    put.append(Located(method, put_under(store.value, store.key)))
                elif store.how == "put":
                    put.append(Located(method, store.value))
        if any(is_new_container(each.expr) for each in found):
            return found + put
        if put:
            self._put.setdefault(class_name, {})[name] = put
        return found

    def _stores_of(self, module: str, key: str) -> Mapping[str, Sequence[_Store]]:
        """What the methods of a class store in their own object, by the names of attributes."""
        found: dict[str, list[_Store]] = collections.defaultdict(list)
        for method, function in self.project.methods_of(module, key):
            if not function.parameters:
                continue
            own = ir.Name(function.parameters[0].name)
            for write in writes_in(function):
                target = write.target
                if isinstance(target, ir.Attribute) and target.base == own and write.value:
                    store = _Store(Scope(module, method), write.how, write.value, write.key)
                    found[target.name].append(store)
            for put in function.puts:
                if isinstance(put.target, ir.Attribute) and put.target.base == own and put.value:
                    store = _Store(Scope(module, method), "put", put.value, "")
                    found[put.target.name].append(store)
        return dict(found)

    def _says_nothing(self, stored: Located, told: bool) -> bool:
        """Whether it is a lone `name: Callable`, which stores nothing where `__init__` does.

        Nor does `name: nnx.Module`, where the calls of `__init__` tell which Modules it stores.

        Args:
            told: it stores a parameter that has an annotation of its own.
        """
        match stored.expr:
            case ir.Call(func=ir.ANNOTATED, args=(annotation,)):
                declared = annotated(self.hierarchy, stored.scope, annotation)
                return is_unknown(declared) or (told and calls_tell_more(declared))
            case _:
                return False

    def _is_declared_parameter(self, method: Scope, store: _Store) -> bool:
        """Whether a store is of a parameter that says as much as the class does, if not more."""
        function = self.project.function(method)
        return store.how == "set" and any(
            store.value == ir.Name(each.name) and each.annotation is not None
            for each in function.parameters
        )


def gets_object(evaluator: Evaluation, scope: Scope, put: ir.Expr) -> bool:
    """Whether a class calls with its object first what is put on it: functions as they are.

    `staticmethod(f)` gets the arguments alone, and so does a partial.
    """
    if not isinstance(put, ir.Name):
        return isinstance(put, ir.FunctionRef)
    project = evaluator.project
    bindings = project.bindings(scope, put.id)
    return bool(bindings) and all(
        isinstance(each, Located)
        and isinstance(each.expr, ir.FunctionRef)
        and not project.function(Scope(each.scope.module, each.expr.key)).decorators
        for each in bindings
    )


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
