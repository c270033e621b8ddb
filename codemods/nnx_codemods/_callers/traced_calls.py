"""The calls of what a transform gives, all of which change with its result."""

from __future__ import annotations

import ast
from collections.abc import Collection

from nnx_codemods._sown.refusal import NotCaptured, SownCause
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.analysis.sites.tree import AnyFunction
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.functions import is_owned
from nnx_migrate.rewrite.model.ownership import all_calls, check_in_file


def uses_of(
    context: FileContext,
    site: Site,
    definition: AnyFunction,
    beside: Collection[ast.Name] = (),
) -> tuple[ast.Call, ...]:
    """All calls of what a transform of a function, which is no method, gives.

    Args:
        beside: places that read the name of a decorated function for something else.

    Raises:
        NotCaptured: others may call it.
    """
    if isinstance(definition, ast.AsyncFunctionDef) or context.tree.class_around(definition):
        raise NotCaptured(SownCause.IS_METHOD_OR_COROUTINE)
    if definition.args.vararg is not None and not definition.args.args:
        raise NotCaptured(SownCause.MODULE_PARAMETER_NOT_SHOWN)
    if site.form == "decorator":
        assert isinstance(definition, ast.FunctionDef)
        if definition.decorator_list != [site.node]:
            raise NotCaptured(SownCause.OTHER_DECORATORS)
        return tuple(all_calls(context, context.tree.scope(definition), definition.name, beside))
    if not is_owned(context, site, definition):
        check_used_here(context, site, definition)
    if site.escapes or not site.uses:
        raise NotCaptured(site.escapes or SownCause.NOT_CALLED_IN_FILE)
    if site.bound_name is not None and site.binding is not None:
        return tuple(all_calls(context, context.tree.scope(site.binding), site.bound_name))
    return site.uses


def check_used_here(context: FileContext, site: Site, definition: AnyFunction) -> None:
    """Nothing but the site uses a function of the file.

    Raises:
        NotCaptured: something else does, or may.
    """
    if not isinstance(definition, ast.FunctionDef) or definition.decorator_list:
        raise NotCaptured(SownCause.DECORATED_OR_UNNAMED)
    scope = context.tree.scope(definition)
    check_in_file(context, scope, definition.name)
    bound = context.project.bindings(scope, definition.name)
    if len(bound) != 1 or context.finder.loads(scope, definition.name) != [site.function]:
        raise NotCaptured(SownCause.NAME_USED_ELSEWHERE.about(name=definition.name))
