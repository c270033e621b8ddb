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
from nnx_migrate.analysis.library.parametrized_tests import only_marks_test
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.rewrite.model.context import FileContext

SETS_MESH = ("set_mesh", "use_mesh", "use_abstract_mesh")
_PLAIN_DECORATORS = frozenset({"staticmethod", "classmethod"})


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
            runners = _runners(context, site)
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


def _runners(context: FileContext, site: Site) -> frozenset[Scope]:
    """The functions that may be running when the site runs; empty where that cannot be told.

    By name: whatever calls something of the name of the function, and so on.
    """
    mentions = context.evaluator.callers.mentions
    found: set[Scope] = set()
    wanted = [context.tree.scope(site.node)]
    while wanted:
        scope = wanted.pop()
        if scope in found:
            continue
        found.add(scope)
        if scope.function == ir.MODULE_SCOPE:
            continue
        function = context.project.function(scope)
        if function.parent is not None:
            wanted.append(Scope(scope.module, function.parent))
        if _is_run_by_others(context, scope, function):
            return frozenset()
        wanted += (where for where, _ in mentions.calls_of(function.name))
        wanted += (where for where, _ in mentions.implied_calls_of(function.name))
    return frozenset(found)


def _is_run_by_others(context: FileContext, scope: Scope, function: ir.Function) -> bool:
    """Whether a function may be called otherwise than by its name."""
    mentions = context.evaluator.callers.mentions
    name = function.name
    if not name.isidentifier() or name.startswith("__"):
        return True
    if not all(_leaves_callers(context, scope, each) for each in function.decorators):
        return True
    handed_on = (passed.source for passed in mentions.passed_on(name))
    if any(not isinstance(source, ir.Call) for source in handed_on):
        return True
    return any(mentions.renamed(name))


def _leaves_callers(context: FileContext, scope: Scope, decorator: ir.Expr) -> bool:
    """Whether a decorator adds no caller of a function but a framework of tests."""
    if isinstance(decorator, ir.Name) and decorator.id in _PLAIN_DECORATORS:
        return True
    named = decorator.func if isinstance(decorator, ir.Call) else decorator
    return only_marks_test(context.project.dotted(scope, named))


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
