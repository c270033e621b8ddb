"""What flax.nnx itself defines: its classes, and the functions whose meaning depends on the mode.

The data is `layers.json`, made from an installed flax by `scripts/generate_flax_layers.py`, so
that reading it needs neither flax nor jax.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

Kind = Literal["module", "variable", "rngs", "optimizer", "metric", "state", "other"]

_TABLE = Path(__file__).with_name("layers.json")
#: What an nnx.Dict has beside the keys that the caller chooses.
_OF_DICT = frozenset(dir(dict)) | {"iter_children", "iter_modules", "set_mode"}


@dataclass(frozen=True, slots=True)
class Layer:
    """One public class of flax.nnx.

    Args:
        name: the class's own name ("Linear").
        qualified_names: every dotted name it can be reached by; the public one first.
        kind: what an instance is.
        bases: names of all its public nnx ancestors, nearest first.
        variables: Variable types among the leaves of an instance made with default arguments; what
            belongs to a Module that was passed to the constructor is not counted (see attributes).
        conditional_variables: constructor keyword -> the Variable types that are there in addition
            when the keyword is given, or set to other than its default.
        absent_variables: the opposite: keyword -> the Variable types that are then not there
            (`RNN(cell, rngs=False)` has no RngKey).
        raw_arrays: whether an instance holds jax arrays outside of any Variable.
        methods: all methods without an underscore, inherited ones included.
        structural_methods: methods, inherited ones included, that set, create or delete attributes
            of self, or sow, other than on construction.
        structural_when: methods that do so only when one of these keywords is given to the call;
            they are not in structural_methods.
        attributes: attribute -> Variable type, class name of a submodule, "array", "container" (a
            list, tuple, dict or State with such things in it), "static", "None", or "argument" for
            something that is, or holds, a node which the caller passed to the constructor. The
            attribute "*" stands for all those whose names the caller chooses (List, Dict, Rngs).
        conditional_attributes: constructor keyword -> the attributes that hold a node or an array
            when the keyword is given, and else do not (`Dropout(0.5, rngs=rngs).rngs`).
    """

    name: str
    qualified_names: tuple[str, ...]
    kind: Kind
    bases: tuple[str, ...]
    variables: frozenset[str]
    conditional_variables: Mapping[str, frozenset[str]] = field(hash=False)
    absent_variables: Mapping[str, frozenset[str]] = field(hash=False)
    raw_arrays: bool
    methods: frozenset[str]
    structural_methods: frozenset[str]
    structural_when: Mapping[str, frozenset[str]] = field(hash=False)
    attributes: Mapping[str, str] = field(hash=False)
    conditional_attributes: Mapping[str, Mapping[str, str]] = field(hash=False)

    def attribute(self, name: str) -> str | None:
        """What is kept under a name, as `attributes` says it; None when that is no attribute."""
        if self.name == "Dict" and name not in _OF_DICT | self.structural_methods:
            return self.attributes["*"]
        return self.attributes.get(name)

    def attributes_with(self, name: str, keywords: Collection[str]) -> frozenset[str]:
        """What a name may stand for besides, where its constructor was given some keywords."""
        given = self.conditional_attributes.items()
        return frozenset(
            kinds[name]
            for keyword, kinds in given
            if name in kinds and (keyword in keywords or "**" in keywords)
        )


@dataclass(frozen=True, slots=True)
class ModeDependentFunction:
    """One public callable of flax.nnx whose meaning depends on the mode.

    Args:
        name: as it is written after `nnx.` ("grad", "Module.train").
        has_graph_parameter: whether a call can choose the mode by `graph=`.
        in_compat: whether `nnx.compat.<name>` exists (it may still always raise: vjp, jvp).
        parameters: the parameter names in order; `*args` and `**kwargs` with their stars, and a
            lone "*" before the first keyword-only parameter where there is no `*args`.
        has_graph_updates_parameter: whether it is a transform, which takes `graph_updates=` too.
        qualified_names: every dotted name it can be reached by; the public one first.
        reference: for a callable without the parameter, why it is here.
    """

    name: str
    has_graph_parameter: bool
    in_compat: bool
    parameters: tuple[str, ...]
    has_graph_updates_parameter: bool
    qualified_names: tuple[str, ...]
    reference: str = ""


# This and the next three say what stands in a table of this package.
@functools.cache
def flax_version() -> str:
    """The version of flax that the table was made from."""
    return str(_read_table()["flax_version"])


# Of the table.
@functools.cache
def layers() -> Mapping[str, Layer]:
    """Every public class of flax.nnx, by each of its qualified names."""
    found = [_layer(row) for row in _read_table()["layers"]]
    return MappingProxyType({name: layer for layer in found for name in layer.qualified_names})


# Of the table.
@functools.cache
def asking_keywords() -> frozenset[str]:
    """The keywords that make layers change their structure, or sow."""
    asking = (
        keywords for layer in layers().values() for keywords in layer.structural_when.values()
    )
    return frozenset().union(*asking)


# Of the table.
@functools.cache
def mode_dependent_functions() -> Mapping[str, ModeDependentFunction]:
    """Every mode-dependent callable of flax.nnx, by each of its qualified names."""
    table = _read_table()
    found = [_function(row) for row in (*table["transforms"], *table["functions"])]
    return MappingProxyType({name: known for known in found for name in known.qualified_names})


def _read_table() -> dict[str, Any]:
    table: dict[str, Any] = json.loads(_TABLE.read_text(encoding="utf-8"))
    return table


def _layer(row: Mapping[str, Any]) -> Layer:
    return Layer(
        name=row["name"],
        qualified_names=tuple(row["qualified_names"]),
        kind=row["kind"],
        bases=tuple(row["bases"]),
        variables=frozenset(row["variables"]),
        conditional_variables=_sets(row["conditional_variables"]),
        absent_variables=_sets(row["absent_variables"]),
        raw_arrays=row["raw_arrays"],
        methods=frozenset(row["methods"]),
        structural_methods=frozenset(row["structural_methods"]),
        structural_when=_sets(row["structural_when"]),
        attributes=dict(row["attributes"]),
        conditional_attributes={
            keyword: dict(kinds) for keyword, kinds in row["conditional_attributes"].items()
        },
    )


def _sets(row: Mapping[str, list[str]]) -> dict[str, frozenset[str]]:
    return {key: frozenset(names) for key, names in row.items()}


def _function(row: Mapping[str, Any]) -> ModeDependentFunction:
    return ModeDependentFunction(
        name=row["name"],
        has_graph_parameter=row["has_graph_parameter"],
        in_compat=row["in_compat"],
        parameters=tuple(row["parameters"]),
        has_graph_updates_parameter=row["has_graph_updates_parameter"],
        qualified_names=tuple(row["qualified_names"]),
        reference=row["reference"],
    )
