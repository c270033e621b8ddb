"""Finds the callables of flax.nnx whose meaning depends on the mode."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from flax import nnx

# These follow the default mode and have no parameter that says otherwise, so a signature does not
# show them. Each was seen to give another result, or an error, when the default changed.
WITHOUT_PARAMETER: Mapping[str, str] = {
    "Metric.split": "MIX-2: calls nnx.split",
    "ModelAndOptimizer": "MIX-2: takes the default where Optimizer has graph=",
    "ModelAndOptimizer.update": "ENV-1: as Optimizer.update",
    "Module.eval": "MIX-2: calls set_attributes",
    "Module.iter_children": "calls nnx.iter_children",
    "Module.iter_modules": "calls nnx.iter_modules",
    "Module.train": "MIX-2: calls set_attributes",
    "Optimizer.update": "ENV-1: resolves the default where Optimizer got no graph=",
    "EMA.update": "ENV-1: resolves the default where EMA got no graph=",
    "EMA.apply_to": "ENV-1: resolves the default where EMA got no graph=",
    "bridge.ToLinen": "MIX-2: splits and merges the module it wraps",
    "call": "MIX-2: merges and splits",
    "capture": "MIX-2: iterates over the modules",
    "set_metadata": "MIX-2: iterates over the graph",
    "tabulate": "API-1: Python scalars among the arguments",
}

Naming = Callable[[object, str], list[str]]


def function_rows(qualified_names: Naming) -> list[dict[str, Any]]:
    """The entries for all of them, sorted by name.

    Args:
        qualified_names: gives the dotted names by which a value with this name is reached.

    Raises:
        LookupError: a callable listed above is not there any more, or has got the parameter.
    """
    rows = {row["name"]: row for row in _with_parameter(qualified_names)}
    for name, reference in WITHOUT_PARAMETER.items():
        if name in rows:
            raise LookupError(f"nnx.{name} has a graph parameter now: remove it from the list")
        rows[name] = _row(name, qualified_names, reference)
    return [rows[name] for name in sorted(rows)]


def _with_parameter(qualified_names: Naming) -> Iterator[dict[str, Any]]:
    for name, value in vars(nnx).items():
        if name.startswith("_") or not callable(value):
            continue
        if "graph" in _signature(value):
            yield _row(name, qualified_names, "")
        if inspect.isclass(value):
            for method, function in vars(value).items():
                is_public = inspect.isfunction(function) and not method.startswith("_")
                if is_public and "graph" in _signature(function):
                    yield _row(f"{name}.{method}", qualified_names, "")


def _row(name: str, qualified_names: Naming, reference: str) -> dict[str, Any]:
    owner_name, _, last = name.rpartition(".")
    owner = _lookup(owner_name) if owner_name else nnx
    value = getattr(owner, last, None)
    if value is None:
        raise LookupError(f"there is no nnx.{name} any more")
    if inspect.isclass(owner):
        names = [f"{dotted}.{last}" for dotted in qualified_names(owner, owner.__name__)]
    else:
        names = qualified_names(value, last)
    parameters = _signature(value)
    written = tuple(_written(parameters, drop_self=inspect.isclass(owner)))
    return {
        "name": name,
        "qualified_names": names,
        "has_graph_parameter": "graph" in parameters,
        "has_graph_updates_parameter": "graph_updates" in parameters,
        "in_compat": not owner_name and hasattr(nnx.compat, last),
        "parameters": list(written),
        "reference": reference,
    }


def _lookup(dotted: str) -> Any:
    value: Any = nnx
    for part in dotted.split("."):
        value = getattr(value, part)
    return value


def _signature(value: object) -> Mapping[str, inspect.Parameter]:
    """Parameters by name; a class has those of its constructor, without self."""
    target: Any = value.__init__ if inspect.isclass(value) else value
    try:
        parameters = dict(inspect.signature(target).parameters)
    except (TypeError, ValueError):
        return {}
    if inspect.isclass(value):
        parameters.pop("self", None)
    return parameters


def _written(parameters: Mapping[str, inspect.Parameter], drop_self: bool) -> Iterator[str]:
    star_seen = False
    for name, parameter in parameters.items():
        if drop_self and name == "self":
            continue
        if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
            star_seen = True
            yield f"*{name}"
        elif parameter.kind is inspect.Parameter.VAR_KEYWORD:
            yield f"**{name}"
        else:
            if parameter.kind is inspect.Parameter.KEYWORD_ONLY and not star_seen:
                star_seen = True
                yield "*"
            yield name
