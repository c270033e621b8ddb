"""The layers of an nnx.Sequential: those that it is made with, and those put in later.

`net.layers.append(layer)` adds one. Which Sequential that is said of is not told apart.
"""

from __future__ import annotations

from collections.abc import Iterator

from nnx_migrate.analysis.callgraph.base import Evaluation
from nnx_migrate.analysis.domain.unknown import Unknown, unknown
from nnx_migrate.analysis.domain.values import (
    PLAIN,
    Instance,
    Located,
    ParameterOf,
    Scope,
    Values,
    union,
)
from nnx_migrate.analysis.interp.containers.dict_items import put_by_name
from nnx_migrate.analysis.interp.stores.outside import stored_outside
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.library.return_model import elements_of

SEQUENTIAL = "flax.nnx.Sequential"
_LAYERS = "layers"


def is_sequential(evaluator: Evaluation, instance: Instance) -> bool:
    """Whether an object is one, or of a class below it."""
    return SEQUENTIAL in evaluator.hierarchy.ancestry(instance.class_name).classes


def held_by_layer(evaluator: Evaluation, instance: Instance) -> Values:
    """What an object of the library holds of what it was made with, and what it gets later."""
    if not is_sequential(evaluator, instance):
        return instance.wraps | put_by_name(evaluator, instance)
    return instance.wraps | _put_in(evaluator, _begins(evaluator, instance))


def layers_of(evaluator: Evaluation, instance: Instance) -> Values:
    """The layers of a Sequential; something unknown among them where no call shows them."""
    held = held_by_layer(evaluator, instance)
    made_in_sight = instance.exact and instance.class_name == SEQUENTIAL
    return held if instance.wraps or made_in_sight else held | unknown(Unknown.KEPT_BY_LIBRARY)


def _begins(evaluator: Evaluation, instance: Instance) -> bool | None:
    """Whether a Sequential has layers when it is made; None where that may be the same call's.

    Layers that a function gets for `nnx.Sequential(*layers)` are none in one call of it, and some
    in another.
    """
    if not instance.exact or instance.class_name != SEQUENTIAL or _may_get_none(evaluator):
        return None
    return bool(instance.wraps)


def _may_get_none(evaluator: Evaluation) -> bool:
    def found() -> bool:
        return any(
            isinstance(bound, ParameterOf)
            for scope, call in evaluator.callers.mentions.calls_of("Sequential")
            for each in call.args
            if isinstance(each, ir.Starred) and isinstance(each.value, ir.Name)
            for bound in evaluator.project.bindings(scope, each.value.id)
        )

    return evaluator.fixpoint.get(("layers of calls",), found, True, lambda known: known)


def _put_in(evaluator: Evaluation, begins: bool | None) -> Values:
    """What code puts into the layers of Sequentials.

    Args:
        begins: of those that are made with layers, or without; None for any.
    """
    return evaluator.once(
        ("put into layers", begins),
        lambda: (
            union(
                elements_of(value)
                for stored in _stores(evaluator, begins)
                for value in evaluator.values(stored.scope, stored.expr)
            )
            - PLAIN
        ),
    )


def _stores(evaluator: Evaluation, begins: bool | None) -> Iterator[Located]:
    def of_others(scope: Scope, write: ir.Write, base: ir.Expr) -> bool:
        return _begin_otherwise(evaluator, scope, base, begins)

    yield from stored_outside(evaluator, SEQUENTIAL, _LAYERS, of_others)
    for class_name in evaluator.hierarchy.descendants(SEQUENTIAL):
        yield from evaluator.stored(class_name, _LAYERS)
    # layers = net.layers; layers.append(layer); layers[0] = layer
    for scope, write in evaluator.callers.mentions.set_elsewhere(_LAYERS):
        value = write.value
        if value is None or isinstance(value, ir.Constant):
            continue
        bound = evaluator.project.function(scope).bindings.values()
        lists = [each for values in bound for each in values if isinstance(each, ir.Attribute)]
        bases = [each.base for each in lists if each.name == _LAYERS]
        if any(_may_be_meant(evaluator, scope, base, begins) for base in bases):
            grown = value if write.how == "grow" else ir.Sequence((value,), is_tuple=False)
            yield Located(scope, grown)


def _may_be_meant(evaluator: Evaluation, scope: Scope, base: ir.Expr, begins: bool | None) -> bool:
    """Whether something may be a Sequential that begins like this."""
    above = evaluator.hierarchy.ancestry(SEQUENTIAL).classes
    values = evaluator.values(scope, base)
    objects = [each for each in values if isinstance(each, Instance)]
    related = any(is_sequential(evaluator, e) or e.class_name in above for e in objects)
    return related and not _begin_otherwise(evaluator, scope, base, begins)


def _begin_otherwise(
    evaluator: Evaluation, scope: Scope, base: ir.Expr, begins: bool | None
) -> bool:
    """Whether something can be no Sequential that begins like this: made with layers, or not."""
    values = evaluator.values(scope, base)
    objects = [each for each in values if isinstance(each, Instance)]
    found = [_begins(evaluator, each) for each in objects if is_sequential(evaluator, each)]
    others = len(found) == len(objects) == len(values)
    return begins is not None and others and bool(found) and {*found} == {not begins}
