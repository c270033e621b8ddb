"""Attributes that no object of a class has, so that reading one raises."""

from __future__ import annotations

from collections.abc import Iterable

from nnx_migrate.analysis.callgraph.base import Evaluation
from nnx_migrate.analysis.domain.values import Instance, Scope
from nnx_migrate.analysis.flax.names import layer_of
from nnx_migrate.analysis.interp.stores.outside import may_be
from nnx_migrate.analysis.ir import nodes as ir

#: Classes of Python that give objects no attributes but those with two underscores.
_WITHOUT_ATTRIBUTES = frozenset({"builtins.object", "typing.Generic", "abc.ABC"})
#: Decorators of classes that add no attributes either.
_ADDING_NOTHING = frozenset({"dataclass", "final", "total_ordering"})
#: A file with one of these words may give its classes attributes of any name,
_SETTING_BY_NAME = frozenset({"__dict__", "vars", "setattr", "__setattr__"})
#: as do classes with one of these methods.
_LOOKING_UP = frozenset({"__getattr__", "__getattribute__"})


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
                and not any(may_be(evaluator, value, each) for each in classes)
                for value in held
            )
        case _:
            return True
