"""Objects of modules that traced code uses out of sight: in a helper of another file, a method."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from nnx_codemods._captures.captures import Captured, calls_of_decorated, definitions_of
from nnx_codemods._captures.must_execute import is_certain, is_expected_to_raise
from nnx_codemods._captures.refusal import CaptureCause
from nnx_codemods._captures.trace_level import may_be_captured
from nnx_codemods._freshness.disjointness import made_apart
from nnx_migrate.analysis.domain.values import Located, Scope
from nnx_migrate.analysis.effects.captured.steps import Use
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.ir.lowering.expressions import lower_expr
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.analysis.sites.tree import AnyFunction
from nnx_migrate.core.findings import Evidence, Proof
from nnx_migrate.core.place import Place
from nnx_migrate.core.refusal import Reason
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import Manual
from nnx_migrate.rewrite.model.functions import free_names, function_scopes
from nnx_migrate.rewrite.model.stacks import stack_of
from nnx_migrate.rewrite.thread.bound_methods import are_nodes


def updating_of_module(context: FileContext, site: Site) -> Manual | None:
    """For a person to do, where the functions of a site update an object of a module for certain.

    This is seen through all functions that they call, of other files too, under whatever name these
    have for the object. Such code raises in both modes (docs/semantics.md: CLO-2).
    """
    found = min(_updates(context, site), key=_order_of_update, default=None)
    if found is None or may_be_captured(context):
        return None
    around = [site.node, *stack_of(context, site)[0].uses, *calls_of_decorated(context, site)]
    places = [*around, *filter(None, definitions_of(context, site))]
    if is_expected_to_raise(context, places):
        return None
    (module, name), use = found
    own = module == context.tree.module
    which = f"{name} of this file" if own else f"{name} of {Place(module)}"
    way = f", through {', '.join(map(str, use.via))}" if use.via else ""
    return Manual(
        "captured-module",
        CaptureCause.GLOBAL_UPDATED.about(use.where, which=which, what=use.what, way=way),
        (Evidence(f"{name}: {use.what}", Proof.PROVED, use.where),),
        blocks=False,
    )


def _order_of_update(found: tuple[tuple[str, str], Use]) -> tuple[object, ...]:
    name, use = found
    return use.where, name, use.what, use.via


def _updates(context: FileContext, site: Site) -> Iterator[tuple[tuple[str, str], Use]]:
    """The objects of modules, and what is done to them that raises for certain."""
    defined = [context.tree.scope_of(each) for each in definitions_of(context, site) if each]
    for module, name in context.analysis.objects.seen_from(context.tree.module):
        for scope in dict.fromkeys([*defined, *function_scopes(context, site)]):
            for use in context.analysis.uses.of(scope, f"{module}.{name}"):
                if use.kind == "update" and is_certain(context, use):
                    yield (module, name), use


def read_out_of_sight(context: FileContext, site: Site, captured: Captured) -> Reason:
    """Why a function may read what is captured in another way too; empty when none does.

    When the object is passed, such a function goes on reading it from outside: as it was before.
    """
    objects = [
        Located(scope, ir.Name(name))
        for name, scope in captured.where
        if scope.function == ir.MODULE_SCOPE or _is_imported(context, scope, name)
    ]
    if not objects:
        return ""
    definitions = [each for each in definitions_of(context, site) if each is not None]
    inside = {node for each in definitions for node in ast.walk(each)}
    scopes = tuple(context.tree.scope_of(each) for each in definitions)
    for scope in sorted(context.analysis.extents.reached(scopes), key=str):
        there = context.at(scope.module)
        function = None if there is None else there.tree.functions.get(scope.function)
        if there is None and any(context.analysis.objects.seen_from(scope.module)):
            return CaptureCause.MODULE_HIDDEN.about(Place(scope.module))
        if there is None or function is None:
            continue
        for read in _reads(there, function):
            if isinstance(read, ast.Name) and read in inside:
                continue  # it becomes the parameter
            other = Located(there.tree.scope(read), lower_expr(read))
            if not all(made_apart(context, each, other) for each in objects):
                return CaptureCause.READ_OUTSIDE.about(there.where(read), text=ast.unparse(read))
    return ""


def _is_imported(context: FileContext, scope: Scope, name: str) -> bool:
    bindings = context.project.bindings(scope, name)
    return any(isinstance(b, Located) and isinstance(b.expr, ir.ImportRef) for b in bindings)


def _reads(context: FileContext, function: AnyFunction) -> Iterator[ast.Name | ast.Attribute]:
    """Where a function reads an object of a module."""
    for name in free_names(context, function):
        bound = context.project.bindings(context.tree.scope(name), name.id)
        at_top = any(b.scope.function == ir.MODULE_SCOPE for b in bound)
        if at_top and are_nodes(context, context.values(name)):
            yield name
    for node in ast.walk(function):
        named = isinstance(node, ast.Attribute) and context.tree.dotted(node) is not None
        if named and isinstance(node, ast.Attribute) and are_nodes(context, context.values(node)):
            yield node
