"""The calls of what a transform gives, all of which change with its result."""

from __future__ import annotations

import ast
from collections.abc import Callable

from nnx_codemods._callers.known_calls import Located, all_calls, check_private, known_calls
from nnx_codemods._callers.passing_calls import Call, calls_of_method
from nnx_codemods._sown.options import GIVING_BACK, check_options
from nnx_codemods._sown.pops.forward_calls import NotCaptured
from nnx_migrate.analysis.flax.transforms import SPLITTERS
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.analysis.sites.tree import AnyFunction
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.functions import is_owned


def traced_calls(
    context: FileContext, site: Site, definition: AnyFunction
) -> tuple[tuple[Call, ...], tuple[str, ...]]:
    """All calls of what a transform gives, and what is assumed for these to be all.

    Raises:
        NotCaptured: others may call it.
    """
    if isinstance(definition, ast.AsyncFunctionDef):
        raise NotCaptured("its function is a coroutine")
    if context.tree.class_around(definition):
        return _method_calls(context, site, definition)
    calls = _function_calls(context, site, definition, all_calls)
    return tuple(Call(use, there) for there, use in calls), ()


def uses_of(context: FileContext, site: Site, definition: AnyFunction) -> tuple[ast.Call, ...]:
    """All calls of what a transform of a function, which is no method, gives.

    Raises:
        NotCaptured: others may call it.
    """
    if isinstance(definition, ast.AsyncFunctionDef) or context.tree.class_around(definition):
        raise NotCaptured("its function is a method or a coroutine")
    calls = _function_calls(context, site, definition, _calls_here)
    return tuple(use for _, use in calls)


def _calls_here(context: FileContext, place: ast.stmt, name: str) -> tuple[Located, ...]:
    return tuple((context, use) for use in known_calls(context, place, name))


def _method_calls(
    context: FileContext, site: Site, definition: ast.FunctionDef | ast.Lambda
) -> tuple[tuple[Call, ...], tuple[str, ...]]:
    if site.form != "decorator" or not isinstance(definition, ast.FunctionDef):
        raise NotCaptured("its function is a method")
    _check_decorators(context, site, definition)
    if not definition.args.args:
        raise NotCaptured("its parameters do not show where the Module goes")
    return calls_of_method(context, definition, definition.args.args[0].arg)


def _function_calls(
    context: FileContext,
    site: Site,
    definition: ast.FunctionDef | ast.Lambda,
    calls_of_name: Callable[[FileContext, ast.stmt, str], tuple[Located, ...]],
) -> tuple[Located, ...]:
    if definition.args.vararg is not None and not definition.args.args:
        raise NotCaptured("its parameters do not show where the Module goes")
    if site.form == "decorator":
        assert isinstance(definition, ast.FunctionDef)
        _check_decorators(context, site, definition)
        return calls_of_name(context, definition, definition.name)
    if not is_owned(context, site, definition):
        _check_used_here(context, site, definition)
    if site.escapes or not site.uses:
        raise NotCaptured(site.escapes or "it is not called in this file")
    if site.bound_name is not None and site.binding is not None:
        return calls_of_name(context, site.binding, site.bound_name)
    return tuple((context, use) for use in site.uses)


def _check_decorators(context: FileContext, site: Site, definition: ast.FunctionDef) -> None:
    """What stands above gives back a State like any other result."""
    *above, last = definition.decorator_list
    if last is not site.node:
        raise NotCaptured("its function has other decorators below")
    sites = {each.node: each for each in context.finder.sites if each.function is definition}
    for decorator in above:
        other = sites.get(decorator)
        if other is None or other.transform not in GIVING_BACK | SPLITTERS:
            raise NotCaptured("its function has other decorators too")
        if other.transform not in SPLITTERS:
            check_options(context, other)


def _check_used_here(context: FileContext, site: Site, definition: AnyFunction) -> None:
    """Nothing but the site uses a function of the file."""
    if not isinstance(definition, ast.FunctionDef) or definition.decorator_list:
        raise NotCaptured("its function is decorated or not defined by its name")
    scope = context.tree.scope(definition)
    if scope.function == ir.MODULE_SCOPE:
        check_private(context, definition.name)
    bound = context.project.bindings(scope, definition.name)
    if len(bound) != 1 or context.finder.loads(scope, definition.name) != [site.function]:
        raise NotCaptured(f"{definition.name} is used in other places too")
