"""Whether a function does nothing to the objects that it is given but update their Variables."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from nnx_codemods._evidence import is_graph_node
from nnx_codemods._unresolved.unseen_functions import may_be_graph_node
from nnx_migrate.analysis.domain.values import (
    ClassValue,
    FunctionValue,
    Instance,
    LibraryValue,
    Scope,
    Value,
    Values,
    describe,
    is_unknown,
)
from nnx_migrate.analysis.effects.causes import CalleeUnknown
from nnx_migrate.analysis.effects.effect import Effect, Effects, worst
from nnx_migrate.analysis.library.effect_model import harmless_library_call
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.core.findings import Evidence, Proof
from nnx_migrate.core.permissions import Permission
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.functions import argument_values, function_values, given_parameters


def more_than_updates(context: FileContext, site: Site) -> Evidence | None:
    """What else the transformed function does, or may do, to an object that it is given.

    Returns:
        What it does, ASSUMED where that is not known; None when it is proved that it does nothing.
    """
    functions = _functions(context, site)
    found = worst(effect for value in functions for effect in _effects(context, site, value))
    if found is None:
        return None
    if found.kind == "unknown":
        permission = Permission.UNKNOWN_EFFECTS
        return Evidence(found.what, Proof.ASSUMED, found.where, permission)
    return Evidence(found.what, Proof.PROVED, found.where)


def _functions(context: FileContext, site: Site) -> Values:
    """What is transformed; of transforms around transforms, what the innermost is given."""
    function = site.function
    inner = function
    while isinstance(inner, ast.Call) and inner.args and context.tree.nnx_name(inner.func):
        inner = inner.args[0]
    if isinstance(inner, ast.expr) and inner is not function:
        return context.values(inner)
    return function_values(context, site)


def _effects(context: FileContext, site: Site, function: Value) -> Iterator[Effect]:
    hierarchy = context.evaluator.hierarchy
    match function:
        case FunctionValue(scope=scope):
            for _, name, values in given_parameters(context, site, scope):
                yield from _on(context, scope, name, values)
            return
        case ClassValue(class_name=name) | Instance(class_name=name):
            called = "__init__" if isinstance(function, ClassValue) else "__call__"
            method = hierarchy.method(name, called)
            if isinstance(method, Scope):
                for place, parameter in enumerate(context.project.function(method).parameters[1:]):
                    values = argument_values(context, site, place)
                    if is_unknown(values):
                        values = context.evaluator.parameter(method, parameter)
                    yield from _on(context, method, parameter.name, values)
                return
            if isinstance(method, str) or hierarchy.ancestry(name).closed:
                return
        case LibraryValue(dotted=dotted) if harmless_library_call(dotted):
            return
    because = describe(frozenset({function}))
    yield Effect("unknown", CalleeUnknown(because), context.where(site.node))


def _on(context: FileContext, scope: Scope, name: str, values: Values) -> Effects:
    """What a function does to one of its parameters, if that may be an object."""
    if not may_be_graph_node(context, values):
        return frozenset()
    found = context.effects_of(scope, name)
    if is_unknown(values):  # it may be an array, which every function gives back
        return frozenset(e for e in found if e.kind != "escape")
    if is_graph_node(context, values, _STREAMS):  # nobody makes Variables of them
        return frozenset(e for e in found if e.kind != "unknown")
    return found


_STREAMS = frozenset({"rngs"})
