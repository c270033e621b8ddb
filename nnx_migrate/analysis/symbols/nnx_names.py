"""The names of nnx that a file may refer to, whatever they are called in it."""

from __future__ import annotations

import collections
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from nnx_migrate.analysis.domain.values import Scope
from nnx_migrate.analysis.flax.names import nnx_name
from nnx_migrate.analysis.flax.transforms import JAX_SITES, SITE_NAMES
from nnx_migrate.analysis.ir import nodes as ir

if TYPE_CHECKING:
    from nnx_migrate.analysis.symbols.program import Project

_SITES = SITE_NAMES | JAX_SITES


def names_used(project: Project, index: ir.ModuleIndex) -> frozenset[str]:
    """The nnx names that a file may refer to, each name taken for all that it is anywhere."""
    paths = collections.defaultdict(list)
    for head, *rest in (path.split(".") for path in index.paths):
        paths[head].append(rest)
    # Where flax is not imported at all, nothing of jax could become something of nnx.
    of_jax = any(name.partition(".")[0] == "flax" for name in index.imports)
    found = {
        name
        for function in index.functions.values()
        for bound, values in function.bindings.items()
        for value in values
        if isinstance(value, ir.ImportRef) or bound in paths
        for name in _reached(
            project, Scope(index.module, function.key), value, paths.get(bound, [])
        )
    }
    found = found.union(*project.renamed(index.module).values())
    found.update(_found_by_text(index))
    return frozenset(found if of_jax else found - JAX_SITES)


def renamed_transforms(project: Project, index: ir.ModuleIndex) -> Mapping[str, frozenset[str]]:
    """Names in a file that may stand for transforms which are called otherwise: for which.

    Those of its functions, and those that modules have, which may be attributes here.
    """
    found: dict[str, frozenset[str]] = {}
    if project.wrappers is not None:
        found.update(project.wrappers.words(index.words))
    for word, scope, value in (*_own_names(index), *_names_elsewhere(project, index)):
        if sites := _SITES.intersection(_reached(project, scope, value, [])):
            found[word] = found.get(word, frozenset()) | sites
    return found


def _names_elsewhere(
    project: Project, index: ir.ModuleIndex
) -> Iterator[tuple[str, Scope, ir.Expr]]:
    for tables in project.tables:
        for word in tables.other_names.keys() & set(index.words):
            for record, scope, value in tables.other_names[word]:
                if project.holds(record):
                    yield word, scope, value


def _reached(
    project: Project, scope: Scope, value: ir.Expr, paths: list[list[str]]
) -> Iterator[str]:
    """The nnx names that these attributes of a value are, the value itself included."""
    for path in ([], *paths):
        dotted = project.dotted(scope, value)
        for name in path:
            dotted = dotted and project.follow(f"{dotted}.{name}")
        reached = dotted if dotted in JAX_SITES else nnx_name(dotted)
        if reached is not None:
            yield reached


def _found_by_text(index: ir.ModuleIndex) -> Iterator[str]:
    """The nnx names of attributes of what a text imports: `sys.modules["flax.nnx"].jit`."""
    for path in index.paths:
        name = path if path in JAX_SITES else nnx_name(path)
        if name is not None:
            yield name


def _own_names(index: ir.ModuleIndex) -> Iterator[tuple[str, Scope, ir.Expr]]:
    """What a file binds to names that is called otherwise."""
    for function in index.functions.values():
        for name, values in function.bindings.items():
            for value in values:
                if ir.referred_name(value) not in {"", name}:
                    yield name, Scope(index.module, function.key), value
