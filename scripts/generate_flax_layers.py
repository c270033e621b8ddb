"""Writes nnx_migrate/analysis/flax/layers.json from the installed flax.

    python scripts/generate_flax_layers.py            # rewrite the file
    python scripts/generate_flax_layers.py --print    # only print what it would hold

What a class holds is found by making small instances and looking at them, what its methods do by
reading its source (flax_structural_methods.py), what the functions take from their signatures. A
public Module, Metric or other node that this script has no example for is an error, so that a new
flax cannot slip in half described.
"""

from __future__ import annotations

import argparse
import dataclasses
import inspect
import json
import sys
import types
import warnings
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import flax
import jax
from flax import nnx
from flax_layer_examples import ABSTRACT, NAMED_BY_CALLER, Example, example_of, variations
from flax_mode_dependent_functions import function_rows
from flax_structural_methods import structural_methods

TABLE = Path(__file__).parent.parent / "nnx_migrate" / "analysis" / "flax" / "layers.json"

# Methods that are structural only when one of these keywords is given. The search cannot see the
# first, because self goes into a function that is held in an attribute; of the second it sees what
# happens while `lazy_init` runs too (docs/semantics.md: BRG-1, BRG-2).
STRUCTURAL_WHEN: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "flax.nnx.MultiHeadAttention": {"__call__": ("sow_weights",)},
    "flax.nnx.bridge.ToNNX": {"__call__": ("mutable",)},
}

#: What `_describe` says of an attribute that holds no Variable, Module or array.
_LEAFLESS = frozenset({"None", "static"})
_KINDS: tuple[tuple[type, str], ...] = (
    (nnx.Module, "module"),
    (nnx.Variable, "variable"),
    (nnx.Rngs, "rngs"),
    (nnx.RngStream, "rngs"),
    (nnx.Optimizer, "optimizer"),
    (nnx.Metric, "metric"),
    (nnx.State, "state"),
    (nnx.FlatState, "state"),
    (nnx.GraphState, "state"),
)


@dataclasses.dataclass(frozen=True)
class Instance:
    """What one instance holds, apart from what it was given."""

    variables: frozenset[str]
    raw_arrays: bool
    attributes: Mapping[str, str]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--print", action="store_true", help="print the table, write nothing")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")  # deprecated keywords are described like all others
    text = json.dumps(table(), indent=1) + "\n"
    if arguments.print:
        sys.stdout.write(text)
    else:
        TABLE.write_text(text, encoding="utf-8")
    return 0


def table() -> dict[str, Any]:
    """Everything the file holds, in the order it is written."""
    classes = public_classes()
    functions = function_rows(lambda value, name: qualified_names(value, name, _namespaces()))
    return {
        "flax_version": flax.__version__,
        "layers": [layer_row(name, classes) for name in sorted(classes)],
        "transforms": [row for row in functions if row["has_graph_updates_parameter"]],
        "functions": [row for row in functions if not row["has_graph_updates_parameter"]],
    }


def public_classes() -> dict[str, type]:
    """The public classes that flax.nnx defines, by the shortest name they can be reached by."""
    found: dict[str, type] = {}
    for namespace in ("flax.nnx", "flax.nnx.metrics", "flax.nnx.bridge"):
        for name, value in sorted(vars(_namespaces()[namespace]).items()):
            defined_here = inspect.isclass(value) and value.__module__.startswith("flax.nnx.")
            if defined_here and not name.startswith("_") and value not in found.values():
                found[f"{namespace}.{name}"] = value
    return found


def layer_row(public_name: str, classes: Mapping[str, type]) -> dict[str, Any]:
    """One entry of the table."""
    layer = classes[public_name]
    bases = [base for base in layer.__mro__[1:] if base in classes.values()]
    instance, more, fewer, with_keywords = _measure(layer)
    is_node = issubclass(layer, nnx.Pytree)
    names = qualified_names(layer, layer.__name__, _namespaces())
    when = STRUCTURAL_WHEN.get(public_name, {})
    return {
        "name": layer.__name__,
        "qualified_names": [public_name, *(name for name in names if name != public_name)],
        "kind": next((kind for base, kind in _KINDS if issubclass(layer, base)), "other"),
        "bases": [base.__name__ for base in bases],
        "variables": sorted(instance.variables),
        "conditional_variables": {key: sorted(types_) for key, types_ in sorted(more.items())},
        "absent_variables": {key: sorted(types_) for key, types_ in sorted(fewer.items())},
        "raw_arrays": instance.raw_arrays,
        "methods": sorted(public_methods(layer)),
        "structural_methods": sorted(structural_methods(layer) - when.keys()) if is_node else [],
        "structural_when": {
            method: [keyword for keyword in keywords if _takes(layer, method, keyword)]
            for method, keywords in when.items()
        },
        "attributes": dict(sorted(instance.attributes.items())),
        "conditional_attributes": {
            keyword: dict(sorted(kinds.items())) for keyword, kinds in sorted(with_keywords.items())
        },
    }


def public_methods(layer: type) -> Iterator[str]:
    """The methods that objects of a class have for anybody to call."""
    for name in dir(layer):
        if not name.startswith("_") and callable(getattr(layer, name)):
            yield name


def qualified_names(
    value: object, name: str, namespaces: Mapping[str, types.ModuleType]
) -> list[str]:
    """Where value can be imported from, the shortest first.

    Its own module, packages that re-export it, and modules that exist to re-export; not the
    modules that only import it for their own use.
    """
    home = getattr(value, "__module__", "")
    found = []
    for dotted, module in namespaces.items():
        re_exports = hasattr(module, "__path__") or dotted == "flax.nnx.graph"
        if getattr(module, name, None) is value and (re_exports or module.__name__ == home):
            found.append(f"{dotted}.{name}")
    return sorted(found, key=lambda dotted: (dotted.count("."), dotted))


def _namespaces() -> dict[str, types.ModuleType]:
    """The modules of flax.nnx by every dotted path that reaches them."""
    found = {n: m for n, m in sys.modules.items() if n == "flax.nnx" or n.startswith("flax.nnx.")}
    for name, value in vars(nnx).items():
        if inspect.ismodule(value) and value.__name__.startswith("flax.nnx."):
            found[f"flax.nnx.{name}"] = value
    return found


def _measure(
    layer: type,
) -> tuple[
    Instance, dict[str, frozenset[str]], dict[str, frozenset[str]], dict[str, dict[str, str]]
]:
    """What an instance holds, and what more or less of it each constructor keyword makes.

    Last are the attributes that are nodes or arrays when a keyword is given, and else are not.
    """
    if not issubclass(layer, nnx.Pytree) or layer in ABSTRACT:
        return Instance(frozenset(), False, {}), {}, {}, {}
    default = inspect_instance(layer, example_of(layer))
    more: dict[str, frozenset[str]] = {}
    fewer: dict[str, frozenset[str]] = {}
    with_keywords: dict[str, dict[str, str]] = {}
    for keyword, example in variations(layer):
        varied = inspect_instance(layer, example)
        for name, kind in varied.attributes.items():
            if kind not in _LEAFLESS and default.attributes.get(name, "None") in _LEAFLESS:
                with_keywords.setdefault(keyword, {})[name] = kind
        if varied.variables - default.variables:
            more[keyword] = more.get(keyword, frozenset()) | varied.variables - default.variables
        if default.variables - varied.variables:
            fewer[keyword] = default.variables - varied.variables
    return default, more, fewer, with_keywords


def inspect_instance(layer: Callable[..., object], example: Example) -> Instance:
    """Makes an instance and looks at its attributes."""
    instance = layer(*example.positional, **example.keywords)
    given = [*example.positional, *example.keywords.values()]
    given = [part for value in given for part in (value if isinstance(value, list) else [value])]
    given = [part for part in given if not isinstance(part, (nnx.Rngs, nnx.RngStream))]
    variables: set[str] = set()
    raw_arrays = False
    attributes: dict[str, str] = {}
    for name, value in vars(instance).items():
        if name.startswith("_pytree__"):
            continue
        leaves = list(_leaves(value, given))
        name = "*" if layer in NAMED_BY_CALLER and not name.startswith("_") else name
        attributes[name] = _describe(value, leaves)
        variables |= {type(leaf).__name__ for leaf in leaves if isinstance(leaf, nnx.Variable)}
        raw_arrays |= any(isinstance(leaf, jax.Array) for leaf in leaves)
    return Instance(frozenset(variables), raw_arrays, attributes)


class _Given:
    """Stands for something that the caller had made."""


def _leaves(value: object, given: list[object]) -> Iterator[object]:
    """The Variables, raw arrays and given objects below value, in containers and submodules."""
    if isinstance(value, nnx.Pytree) and any(value is one for one in given):
        yield _Given()
    elif isinstance(value, (nnx.Variable, jax.Array)):
        yield value
    elif isinstance(value, nnx.Pytree):
        for name, child in vars(value).items():
            if not name.startswith("_pytree__"):
                yield from _leaves(child, given)
    elif isinstance(value, Mapping):
        for child in value.values():
            yield from _leaves(child, given)
    elif isinstance(value, (list, tuple)):
        for child in value:
            yield from _leaves(child, given)


def _describe(value: object, leaves: list[object]) -> str:
    if any(isinstance(leaf, _Given) for leaf in leaves):
        return "argument"
    if isinstance(value, (nnx.Variable, nnx.Pytree)):
        return type(value).__name__
    if isinstance(value, jax.Array):
        return "array"
    if value is None:
        return "None"
    return "container" if leaves else "static"


def _takes(layer: type, method: str, keyword: str) -> bool:
    """Raises a ValueError if layer's method has no such parameter (any more)."""
    if keyword not in inspect.signature(getattr(layer, method)).parameters:
        raise ValueError(f"{layer.__name__}.{method} has no parameter {keyword}")
    return True


if __name__ == "__main__":
    sys.exit(main())
