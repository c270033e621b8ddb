"""What attributes hold: by what their classes store and declare, and by what other code stores.

An object of a class of which hundreds are below is asked about in every round of every circle: each
class is gone through once, and of each attribute only the classes are looked at that have it.
"""

from __future__ import annotations

import collections
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from nnx_migrate.analysis.callgraph.base import Evaluation
from nnx_migrate.analysis.domain.values import (
    NOTHING,
    Basic,
    Instance,
    Located,
    Scope,
    Value,
    Values,
    is_unknown,
)
from nnx_migrate.analysis.flax.names import layer_of
from nnx_migrate.analysis.interp.annotations import annotated
from nnx_migrate.analysis.interp.containers.put_by_functions import put_by_functions
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.ir.lowering.expressions import is_new_container
from nnx_migrate.analysis.library.effect_model import MUTATING_METHODS
from nnx_migrate.analysis.symbols.class_hierarchy import Hierarchy
from nnx_migrate.analysis.symbols.occurrences import Mentions
from nnx_migrate.analysis.symbols.passed_on import writes_in

#: Classes of Python that give objects no attributes but those with two underscores.
_WITHOUT_ATTRIBUTES = frozenset({"builtins.object", "typing.Generic", "abc.ABC"})
#: Decorators of classes that add no attributes either.
_ADDING_NOTHING = frozenset({"dataclass", "final", "total_ordering"})
#: A file with one of these words may give its classes attributes of any name,
_SETTING_BY_NAME = frozenset({"__dict__", "vars", "setattr", "__setattr__"})
#: as do classes with one of these methods.
_LOOKING_UP = frozenset({"__getattr__", "__getattribute__"})


class _Store(NamedTuple):
    """A store of a method in its own object: `self.name = value`."""

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
        self._stored: dict[tuple[str, str], list[Located]] = {}
        self._storing: dict[tuple[str, bool, str], tuple[str, ...]] = {}
        self._declared: dict[tuple[str, bool, str], Values] = {}

    def stored(self, class_name: str, name: str) -> list[Located]:
        """Every value that the class's own methods store in `self.<name>`, or its body does."""
        key = class_name, name
        if key not in self._stored:
            self._stored[key] = self._find_stored(class_name, name)
        return self._stored[key]

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
            return bool(self.stored(class_name, name))
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
            return []
        module, record = located
        found = [
            Located(Scope(module, record.scope), value) for value in record.attributes.get(name, ())
        ]
        keyed: list[tuple[Located, str]] = []
        if class_name not in self._stores:
            self._stores[class_name] = self._stores_of(module, record.key)
        stores = self._stores[class_name].get(name, ())
        for method, of_method in itertools.groupby(stores, key=lambda store: store.method):
            own = list(of_method)
            in_constructor = self.project.function(method).name == "__init__"
            if in_constructor and any(store.how == "set" for store in own):
                found = [each for each in found if not self._says_nothing(each)]
            for store in own:
                if store.how in {"set", "grow", "augment"}:
                    found.append(Located(method, store.value))
                elif store.how == "key":
                    keyed.append((Located(method, store.value), store.key))
        if any(is_new_container(each.expr) for each in found):
            found += [Located(each.scope, _put(each.expr, key)) for each, key in keyed]
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
            for name, value in self._put_by_names(module, method, own):
                found[name].append(_Store(Scope(module, method), "grow", value, ""))
        return dict(found)

    def _put_by_names(
        self, module: str, method: str, own: ir.Name
    ) -> tuple[tuple[str, ir.Expr], ...]:
        return self.project.fact(
            module,
            ("put by names", method, own),
            lambda project: tuple(_put_by_names(project.modules[module].functions[method], own)),
        )

    def _says_nothing(self, stored: Located) -> bool:
        """Whether it is a lone `name: Callable`, which stores nothing where `__init__` does."""
        match stored.expr:
            case ir.Call(func=ir.ANNOTATED, args=(annotation,)):
                return is_unknown(annotated(self.hierarchy, stored.scope, annotation))
            case _:
                return False


def _put_by_names(function: ir.Function, own: ir.Name) -> Iterator[tuple[str, ir.Expr]]:
    """What a method puts into lists of its object by other names of them, with the attributes.

    So `blocks = self.blocks; blocks.append(block)`.
    """
    for name, values in function.bindings.items():
        lists = [v.name for v in values if isinstance(v, ir.Attribute) and v.base == own]
        if not lists:
            continue
        grown = [v for v in values if isinstance(v, ir.Sequence) and not v.is_tuple]
        grows = any(
            isinstance(call.func, ir.Attribute)
            and call.func.base == ir.Name(name)
            and call.func.name in MUTATING_METHODS
            for call in function.calls
        )
        put = [_put(w.value, w.key) for w in function.writes if _is_put(w, name) and w.value]
        for each in (*(grown if grows else ()), *put):
            yield from ((attribute, each) for attribute in lists)


def _is_put(write: ir.Write, name: str) -> bool:
    return write.how == "key" and write.target == ir.Name(name)


def _put(value: ir.Expr, key: str) -> ir.Sequence:
    """What `xs[k] = value` puts into a list or a dict."""
    keys = (key,) if key else ()
    return ir.Sequence((value,), is_tuple=False, keyed="maybe", keys=keys)


def stored_outside(
    evaluator: Evaluation,
    class_name: str,
    name: str,
    leave_out: Callable[[Scope, ir.Write, ir.Expr], bool] = lambda scope, write, base: False,
) -> list[Located]:
    """What other code stores in that attribute of something that is shown to be of the class.

    Stores to things that nothing is known of are not among it.

    Args:
        leave_out: whether a store to something says nothing of the object in question.
    """
    found = []
    for scope, write in evaluator.callers.mentions.outside_writes(name):
        if not isinstance(write.target, ir.Attribute) or write.value is None:
            continue
        if leave_out(scope, write, write.target.base):
            continue
        bases = evaluator.values(scope, write.target.base)
        if not any(_may_be(evaluator, value, class_name) for value in bases):
            continue
        if write.how in {"item", "key"} and _holds_arrays(evaluator, class_name, name):
            continue  # `m.w[...] = x` gives what is there another value
        stored = write.value
        if write.how == "key":
            stored = _put(stored, write.key)
        found.append(Located(scope, stored))
    for each in (
        put_by_functions(evaluator, name) if _keeps_list(evaluator, class_name, name) else ()
    ):
        bases = evaluator.values(each.where, each.base)
        if any(_may_be(evaluator, value, class_name) for value in bases):
            found.append(each.put)
    return found


def _keeps_list(evaluator: Evaluation, class_name: str, name: str) -> bool:
    """Whether a class keeps a list there, and not something with a method of such a name."""
    stored = evaluator.stored(class_name, name)
    return layer_of(class_name) is not None or any(is_new_container(each.expr) for each in stored)


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


def _may_be(evaluator: Evaluation, value: Value, class_name: str) -> bool:
    if not isinstance(value, Instance):
        return False
    if class_name in evaluator.hierarchy.ancestry(value.class_name).classes:
        return True
    # What is made as `nnx.Module()` is of no class below that.
    return not value.exact and value.class_name in evaluator.hierarchy.ancestry(class_name).classes


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


def lacks(evaluator: Evaluation, instance: Instance, name: str) -> bool:
    """Whether no object of a class, or of one below it, has an attribute: to read it raises."""
    hierarchy, mentions = evaluator.hierarchy, evaluator.callers.mentions
    if name.startswith("__") or name in mentions.names_written_outside():
        return False
    classes = hierarchy.classes_of(instance)
    if any(not hierarchy.ancestry(each).closed for each in classes):
        return False
    above = dict.fromkeys(one for each in classes for one in hierarchy.ancestry(each).classes)
    if any(_may_have(evaluator, each, name) for each in above):
        return False
    if any(_names(call, name) for _, call in mentions.calls_of("setattr")):
        return False
    whole = evaluator.joined
    return not whole.fixpoint.get(
        ("set under any name", instance.class_name, instance.exact),
        lambda: any(
            _may_set(whole, scope, call, classes) for scope, call in mentions.calls_of("setattr")
        ),
        True,
        lambda _: True,
    )


def _may_have(evaluator: Evaluation, class_name: str, name: str) -> bool:
    """Whether a class by itself says that its objects have an attribute, or may have any."""
    layer, located = layer_of(class_name), evaluator.project.class_of(class_name)
    if layer is not None:
        of_any_name = layer.kind in {"variable", "state"} or "*" in layer.attributes
        return of_any_name or name in layer.methods | layer.attributes.keys()
    if located is None:
        return class_name not in _WITHOUT_ATTRIBUTES
    module, record = located
    return (
        not {name, *_LOOKING_UP}.isdisjoint(
            {*record.methods, *record.attributes, *record.annotations}
        )
        or bool(evaluator.stored(class_name, name))
        or any(ir.last_name(_called(each)) not in _ADDING_NOTHING for each in record.decorators)
        or evaluator.project.modules[module].says(_SETTING_BY_NAME)
    )


def _called(decorator: ir.Expr) -> ir.Expr:
    return decorator.func if isinstance(decorator, ir.Call) else decorator


def _names(call: ir.Call, name: str) -> bool:
    """Whether it is `setattr(m, "name", value)`."""
    match call.args:
        case (_, ir.Constant(type="str", text=text), _):
            return text == name
        case _:
            return False


def _may_set(evaluator: Evaluation, scope: Scope, call: ir.Call, classes: Iterable[str]) -> bool:
    """Whether `setattr(m, name, value)` may set any attribute of an object of such classes."""
    match call.args:
        case (_, ir.Constant(type="str"), _):
            return False
        case (target, _, _):
            held = evaluator.values(scope, target)
            return not held or not all(
                isinstance(value, Instance)
                and not any(_may_be(evaluator, value, each) for each in classes)
                for value in held
            )
        case _:
            return True


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
