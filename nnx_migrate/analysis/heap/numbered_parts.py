"""Whether an object holds an nnx.List or nnx.Sequential, whose parts go by number.

Under `nnx.capture` an attribute of theirs goes by name, and graph mode cannot sort the two: every
transform that such an object goes through raises (docs/semantics.md: SOW-6).
"""

from __future__ import annotations

from nnx_migrate.analysis.domain.values import Instance, Values, short_name
from nnx_migrate.analysis.flax.names import layer_of
from nnx_migrate.analysis.heap.reachable_variables import Contents, ContentsFinder

_INDEXED = frozenset({"List", "Sequential"})


class IndexedFinder(ContentsFinder):
    """Finds such objects among what a Module holds."""

    def reason(self, values: Values) -> str:
        """Why there may be one; empty when there is none."""
        return next(iter(self.of(values).unseen), "")

    def _instance(self, instance: Instance) -> Contents:
        for name in self.hierarchy.ancestry(instance.class_name).classes:
            layer = layer_of(name)
            if layer is not None and layer.name in _INDEXED:
                return Contents(unseen=(f"it holds an {short_name(name)}",))
        return super()._instance(instance)
