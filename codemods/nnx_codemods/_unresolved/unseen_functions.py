"""Transforms of functions that the files do not show: named at run time, or of other packages."""

from __future__ import annotations

import ast

from nnx_migrate.analysis.domain.containers import is_container
from nnx_migrate.analysis.domain.unknown import Unknown
from nnx_migrate.analysis.domain.values import (
    ARRAY,
    NOTHING,
    PLAIN,
    Basic,
    FunctionValue,
    Instance,
    LibraryValue,
    Scope,
    Value,
    Values,
)
from nnx_migrate.analysis.library.effect_model import harmless_library_call
from nnx_migrate.analysis.library.return_model import elements_of
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.functions import function_values


def unseen_function(context: FileContext, site: Site) -> tuple[str, str] | None:
    """What a transform may run on an object that is not to be seen, and why it is not."""
    if site.form != "call" or not isinstance(site.function, ast.expr):
        return None
    values = function_values(context, site)
    reasons = {reason for v in values if (reason := _reason(v))}
    if any(isinstance(v, FunctionValue) for v in values):
        reasons -= {Unknown.IN_A_CIRCLE.words}
    if not reasons or not _may_be_given_objects(context, site):
        return None
    text = ast.unparse(site.function)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}...", min(reasons)


def seen_functions(context: FileContext, site: Site) -> tuple[Scope, ...]:
    """The definitions in sight that the transformed function can be, though it may be others."""
    found = {v.scope for v in function_values(context, site) if isinstance(v, FunctionValue)}
    return tuple(sorted(found, key=str))


def _reason(value: Value) -> str:
    """Why a value is no function of the project."""
    if isinstance(value, Basic) and value.sort == "unknown":
        return value.reason or "not known"
    if isinstance(value, LibraryValue) and harmless_library_call(value.dotted) is None:
        return f"{value.dotted}, which is not in the project"
    return ""


def _may_be_given_objects(context: FileContext, site: Site) -> bool:
    """Whether a call may pass an object; arrays and plain values do not tell modes apart."""
    if site.escapes:
        return True
    return any(
        may_be_graph_node(context, context.values(argument))
        for use in site.uses
        for argument in (*use.args, *(keyword.value for keyword in use.keywords))
    )


def may_be_graph_node(context: FileContext, values: Values) -> bool:
    """Whether it may be an object of nnx, or hold one, for all that is known."""
    held = frozenset(v for value in values - ARRAY - PLAIN for v in _parts(value)) - ARRAY - PLAIN
    objects = [v for v in held if isinstance(v, Instance)]
    seen = len(objects) == len(held) and bool(values)
    return not seen or any(_may_hold_nodes(context, each) for each in objects)


def _may_hold_nodes(context: FileContext, instance: Instance) -> bool:
    hierarchy = context.evaluator.hierarchy
    below = () if instance.exact else hierarchy.descendants(instance.class_name)
    kinds = {hierarchy.kind(name) for name in (instance.class_name, *below)}
    if not kinds <= {"plain", "state"}:
        return True
    # A NamedTuple or a registered dataclass may hold a Module.
    contents = context.analysis.contents.of(frozenset({instance}))
    return "plain" in kinds and bool(contents.variables or contents.unseen)


def _parts(value: Value) -> Values:
    return (elements_of(value) if is_container(value) else NOTHING) or frozenset({value})


_SHOWN = 40
