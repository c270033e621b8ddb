"""Where a mesh is set that may be there when a site runs.

`jax.set_mesh(mesh)` and its likes set one, for a `with` block or from there on; a mesh that is only
made, or entered by itself (`with mesh:`), sets none (docs/semantics.md: ABS-1).
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterator

from nnx_migrate.analysis.domain.values import Scope
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.analysis.symbols.callers_by_name import may_be_running
from nnx_migrate.rewrite.model.context import FileContext

SETS_MESH = ("set_mesh", "use_mesh", "use_abstract_mesh")


@dataclasses.dataclass(frozen=True, slots=True)
class EnteredMesh:
    """A place that sets a mesh.

    Args:
        where: the function that does it.
        for_a_block: by `with`, so that only what the function runs can see the mesh.
    """

    where: Scope
    line: int
    for_a_block: bool


def meshes_around(context: FileContext, site: Site) -> Iterator[EnteredMesh]:
    """The places that may have set a mesh when the site runs."""
    here = context.tree.module
    runners: frozenset[Scope] | None = None
    # A place that the reader of the site has before the eyes is the best to be named.
    for mesh in sorted(_set_in_project(context), key=lambda mesh: mesh.where.module != here):
        if not context.analysis.imports.in_one_program(here, mesh.where.module):
            continue
        if not mesh.for_a_block:
            if _may_run_before(context, site, mesh.where):
                yield mesh
            continue
        if runners is None:
            mentions = context.evaluator.callers.mentions
            runners = may_be_running(mentions, context.tree.scope(site.node))
        if not runners or mesh.where in runners:
            yield mesh


def _set_in_project(context: FileContext) -> Iterator[EnteredMesh]:
    for name in SETS_MESH:
        for where, call in context.evaluator.callers.mentions.calls_of(name):
            dotted = context.project.dotted(where, call.func)
            if dotted is None or dotted.startswith("jax."):
                function = context.project.function(where)
                entered = ir.Attribute(call, "__enter__") in function.reads
                # Of a fixture or a context manager, others run in its block.
                for_a_block = entered and not function.yields and not function.decorators
                yield EnteredMesh(where, call.line, for_a_block)


def _may_run_before(context: FileContext, site: Site, where: Scope) -> bool:
    """Whether a function that sets a mesh for good may have run before the site does."""
    here = context.tree.module
    if where.module != here:
        return True
    outer = context.outermost_function(site.node)
    if outer is None or isinstance(outer, ast.Lambda):
        return True
    mine = context.tree.scope_of(outer).function
    key: str | None = where.function
    functions = context.project.modules[here].functions
    while key is not None and functions[key].parent is not None:
        if key == mine:
            return True
        key = functions[key].parent
    same_class = functions[where.function].owner == functions[mine].owner is not None
    # What nothing calls, as a test, runs under no mesh but its own and that of its class's set-up.
    mentions = context.evaluator.callers.mentions
    called = mentions.is_called(outer.name) or any(mentions.passed_on(outer.name))
    at_top = functions[where.function].parent is None
    return (
        called or at_top or (same_class and not functions[where.function].name.startswith("test"))
    )
