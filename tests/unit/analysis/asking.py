"""Questions to the facts about small sources."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from pathlib import Path

from nnx_migrate.analysis.domain.values import (
    Basic,
    ClassValue,
    ContainerValue,
    FunctionValue,
    Instance,
    LibraryValue,
    Scope,
    TupleValue,
    Value,
    Values,
)
from nnx_migrate.analysis.facts import Analysis
from nnx_migrate.analysis.heap.contents import Contents
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.ir.build import index_module
from nnx_migrate.analysis.symbols.program import Project
from nnx_migrate.sources.text import decode

MAIN = "main"


def analysis_of(files: str | Mapping[str, str]) -> Analysis:
    """The analysis of a project; a lone text is its module "main"."""
    files = {"main.py": files} if isinstance(files, str) else files
    return Analysis(Project([index_of(name, text) for name, text in files.items()]))


def index_of(name: str, text: str) -> ir.ModuleIndex:
    """The record of one file of a project."""
    path = Path(name)
    parts = path.with_suffix("").parts
    parts = parts[1:] if parts[0] == "src" else parts
    module = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
    return index_module(decode(path, textwrap.dedent(text).encode()), module)


def scope_named(analysis: Analysis, name: str, module: str = MAIN) -> Scope:
    """The scope of the one function of that name; the module's body for ""."""
    if not name:
        return Scope(module, ir.MODULE_SCOPE)
    functions = analysis.project.modules[module].functions
    (key,) = [key for key, function in functions.items() if function.name == name]
    return Scope(module, key)


def values_of(analysis: Analysis, name: str, function: str = "", module: str = MAIN) -> Values:
    """What a name can be, seen from a function (or the body) of a module."""
    return analysis.evaluator.values(scope_named(analysis, function, module), ir.Name(name))


def described(values: Values) -> set[str]:
    return {_described(value) for value in values}


def _described(value: Value) -> str:
    match value:
        case Instance(class_name=name) | ClassValue(class_name=name):
            module, _, key = name.partition(":")
            return key.partition(":")[0] if key else module.removeprefix("flax.")
        case FunctionValue(key=key):
            return key.partition(":")[0]
        case LibraryValue(dotted=dotted):
            return dotted
        case Basic(sort=sort):
            return sort
        case ContainerValue(element=element):
            return f"[{' '.join(sorted(described(element)))}]"
        case TupleValue(elements=elements):
            inner = (" ".join(sorted(described(element))) for element in elements)
            return f"({', '.join(inner)})"


def kinds(files: str | Mapping[str, str], name: str, function: str = "") -> set[str]:
    return described(values_of(analysis_of(files), name, function))


def effects(files: str | Mapping[str, str], function: str, parameter: str) -> set[str]:
    """The kinds of effects that a function of "main" has on its parameter."""
    analysis = analysis_of(files)
    found = analysis.effects.of(scope_named(analysis, function), parameter)
    return {effect.kind for effect in found}


def contents(files: str | Mapping[str, str], name: str, function: str = "") -> Contents:
    analysis = analysis_of(files)
    return analysis.contents.of(values_of(analysis, name, function))


def obstacles(files: str | Mapping[str, str], function: str) -> list[str]:
    analysis = analysis_of(files)
    return list(map(str, analysis.extents.obstacles((scope_named(analysis, function),))))
