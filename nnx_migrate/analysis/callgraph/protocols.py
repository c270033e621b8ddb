"""The classes of a project that have what a protocol asks for."""

from __future__ import annotations

from nnx_migrate.analysis.domain.values import Scope
from nnx_migrate.analysis.flax.names import layer_of
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.symbols.class_hierarchy import Hierarchy

#: What a Variable has of its own, or looks up in the array that it holds.
_OF_VARIABLES = frozenset(
    {"copy_from", "get_metadata", "get_raw_value", "get_value", "has_metadata", "raw_value"}
    | {"replace", "set_metadata", "set_raw_value", "set_value", "to_state", "type", "value"}
    | {"T", "all", "any", "argmax", "argmin", "argsort", "astype", "at", "clip", "copy", "cumsum"}
    | {"device", "dot", "dtype", "flatten", "imag", "item", "itemsize", "mT", "max", "mean", "min"}
    | {"nbytes", "ndim", "prod", "ravel", "real", "repeat", "reshape", "round", "shape", "sharding"}
    | {"size", "sort", "squeeze", "std", "sum", "swapaxes", "take", "tolist", "transpose", "var"}
)


def implementing(hierarchy: Hierarchy, protocol: str) -> tuple[str, ...]:
    """The classes of the project that have the methods and properties of a protocol.

    Too many have the special methods: those have to take the same parameters.
    """
    if protocol not in hierarchy.implementing:
        asked = {
            name: Scope(located[0], key)
            for above in hierarchy.ancestry(protocol).classes
            if (located := hierarchy.project.class_of(above)) is not None
            for name, key in located[1].methods.items()
        }
        hierarchy.implementing[protocol] = tuple(
            each
            for each in (hierarchy.all_classes if asked else ())
            if not hierarchy.is_protocol(each)
            and all(_has(hierarchy, each, name, own) for name, own in asked.items())
        )
    return hierarchy.implementing[protocol]


def _has(hierarchy: Hierarchy, class_name: str, name: str, like: Scope) -> bool:
    asked = hierarchy.project.function(like)
    method = hierarchy.method(class_name, name)
    if isinstance(method, str) and hierarchy.kind(class_name) == "variable":
        return name in _OF_VARIABLES
    if not isinstance(method, Scope) and not name.startswith("__"):
        layers = map(layer_of, hierarchy.ancestry(class_name).classes)
        method = next((each.name for each in layers if each and name in each.methods), None)
    if any(map(ir.is_property, asked.decorators)):
        return method is not None or _has_attribute(hierarchy, class_name, name)
    if not name.startswith("__") or not isinstance(method, Scope):
        return method is not None and not name.startswith("__")
    own = hierarchy.project.function(method)
    return [p.name for p in own.parameters] == [p.name for p in asked.parameters]


def _has_attribute(hierarchy: Hierarchy, class_name: str, name: str) -> bool:
    """Whether a class has a field of that name, or its own methods store something there."""
    project = hierarchy.project
    for above in hierarchy.ancestry(class_name).classes:
        located = project.class_of(above)
        if located is None:
            continue
        module, record = located
        if name in record.annotations or name in record.attributes:
            return True
        for key in record.methods.values():
            function = project.function(Scope(module, key))
            own = ir.Name(function.parameters[0].name) if function.parameters else None
            if any(write.target == ir.Attribute(own, name) for write in function.writes if own):
                return True
    return False
