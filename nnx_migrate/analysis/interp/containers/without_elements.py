"""Objects that no loop can go over: `for c in part` raises, in both modes, where `part` is one."""

from __future__ import annotations

from nnx_migrate.analysis.callgraph.base import Evaluation
from nnx_migrate.analysis.domain.values import Instance, Value
from nnx_migrate.analysis.flax.names import layer_of
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.library.return_model import ANY_OBJECT

#: What gives the elements of an object.
_GIVING = ("__iter__", "__getitem__")
_WITH_ELEMENTS = frozenset({"flax.nnx.Dict", "flax.nnx.List"})
_BARE = frozenset({"abc.ABC", "builtins.object", "typing.Generic"})


def has_no_elements(evaluator: Evaluation, value: Value) -> bool:
    """Whether it is a Module, of whichever class it may be, that is no container."""
    if not isinstance(value, Instance) or value.probable or value.partial:
        return False
    if value.class_name in ANY_OBJECT:
        return False
    hierarchy = evaluator.hierarchy
    return all(
        hierarchy.kind(each) == "module" and _lacks_elements(evaluator, each)
        for each in hierarchy.classes_of(value)
    )


def _lacks_elements(evaluator: Evaluation, class_name: str) -> bool:
    ancestry = evaluator.hierarchy.ancestry(class_name)
    if not ancestry.closed or not _WITH_ELEMENTS.isdisjoint(ancestry.classes):
        return False
    if any(evaluator.hierarchy.method(class_name, name) is not None for name in _GIVING):
        return False
    for above in ancestry.classes:
        located = evaluator.project.class_of(above)
        if located is None:
            if layer_of(above) is None and above not in _BARE:
                return False
            continue
        record = located[1]
        asked = {keyword for keyword, _ in record.keywords}
        if not asked <= {"pytree"} or any(name in record.attributes for name in _GIVING):
            return False
        if any(ir.last_name(decorator) != "dataclass" for decorator in record.decorators):
            return False
    return True
