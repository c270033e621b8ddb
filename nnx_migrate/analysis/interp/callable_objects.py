"""Which objects no code can call."""

from __future__ import annotations

from nnx_migrate.analysis.callgraph.base import Evaluation
from nnx_migrate.analysis.domain.values import Instance
from nnx_migrate.analysis.interp.stores.class_stores import stored_in_class
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.core.place import Place


def is_bare_module(evaluator: Evaluation, instance: Instance) -> bool:
    """Whether it is made by `nnx.Module()`: it has what code stores in it, and is not called.

    `type(model)()` may be of any class.
    """
    if not instance.exact or not isinstance(instance.origin, Place):
        return False
    return instance.class_name == "flax.nnx.Module" and any(
        evaluator.project.nnx_name(scope, call.func) == "Module"
        for scope, call in evaluator.callers.mentions.calls_of("Module")
        if Place(scope.module, call.line) == instance.origin
    )


def cannot_be_called(evaluator: Evaluation, class_name: str) -> bool:
    """Whether nothing gives a class without methods out of sight a `__call__`."""
    ancestry = evaluator.hierarchy.ancestry(class_name)
    if not ancestry.closed or evaluator.hierarchy.method(class_name, "__call__") is not None:
        return False
    for above in ancestry.classes:
        located = evaluator.project.class_of(above)
        decorators = located[1].decorators if located is not None else ()
        if any(ir.last_name(each) != "dataclass" for each in decorators):
            return False
        bound = evaluator.stored(above, "__call__") or stored_in_class(evaluator, above, "__call__")
        if any(True for _ in bound):
            return False
    return True
