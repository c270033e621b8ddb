"""Parameters of constructors that a call leaves at None, so that they hold no object."""

from __future__ import annotations

from nnx_migrate.analysis.callgraph.binding import argument_for, hides_arguments
from nnx_migrate.analysis.domain.values import Scope
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.symbols.class_hierarchy import Hierarchy

_NONE = ir.Constant("none")


def passed_none(hierarchy: Hierarchy, class_name: str, call: ir.Call) -> frozenset[str]:
    """The parameters of a class's constructor for which a call passes None, defaults included.

    Nothing where some arguments are hidden.
    """
    method = hierarchy.method(class_name, "__init__")
    if not isinstance(method, Scope) or hides_arguments(call):
        return frozenset()
    function = hierarchy.project.function(method)
    found = set()
    for parameter in function.parameters[1:]:
        if parameter.kind in {"positional", "keyword"} and parameter.name not in function.bindings:
            passed = argument_for(function.parameters, parameter, call, 1)
            if _NONE in {passed or parameter.default}:
                found.add(parameter.name)
    return frozenset(found)
