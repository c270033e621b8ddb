"""Arguments that a function passes on to its private twin: each means there what it meant."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from nnx_codemods._sown.options import GIVING_BACK
from nnx_codemods._sown.refusal import NotCaptured, SownCause
from nnx_migrate.analysis.domain.values import ARRAY
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.rewrite.model.context import FileContext

_STATIC = frozenset({"static_argnames", "static_argnums"})


def check_passed(
    context: FileContext, definition: ast.FunctionDef, stack: Sequence[Site]
) -> frozenset[str]:
    """See that all arguments of a decorated function can be passed, whether they were or not.

    Args:
        stack: its transforms.

    Returns:
        The names of the static ones.

    Raises:
        NotCaptured: one cannot.
    """
    static: frozenset[str] = frozenset()
    mapped = False
    for site in stack:
        if site.spec.compiles and not site.spec.maps_axes:
            if not site.complete or site.options.keys() - _STATIC:
                raise NotCaptured(SownCause.NOT_STATIC_OPTIONS.about(transform=site.written))
            if "static_argnums" in site.options:
                raise NotCaptured(SownCause.STATIC_BY_NUMBER)
            static |= _static_names(site)
        elif site.transform in GIVING_BACK:
            mapped |= site.spec.maps_axes
    arguments = definition.args
    if mapped and (arguments.kwonlyargs or arguments.kwarg or arguments.defaults):
        raise NotCaptured(SownCause.MAPPED_BY_CALLS)
    _check_defaults(context, definition, static)
    return static


def _check_defaults(
    context: FileContext, definition: ast.FunctionDef, static: frozenset[str]
) -> None:
    """What was a default inside is passed now: static, or no value, or the same when traced."""
    arguments = definition.args
    positional = [*arguments.posonlyargs, *arguments.args]
    last = positional[len(positional) - len(arguments.defaults) :]
    defaults = zip(last, arguments.defaults, strict=True)
    named = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    for argument, default in (*defaults, *named):
        is_none = default is None or (isinstance(default, ast.Constant) and default.value is None)
        if is_none or argument.arg in static:
            continue
        if not _is_number_for_arrays(context, definition, argument.arg, default):
            raise NotCaptured(SownCause.DEFAULT_TRACED.about(name=argument.arg))


def _is_number_for_arrays(
    context: FileContext, definition: ast.FunctionDef, name: str, default: ast.expr | None
) -> bool:
    """Whether a number only multiplies arrays, or is added to them: traced it does the same."""
    if not isinstance(default, ast.Constant) or type(default.value) not in {int, float}:
        return False
    for node in ast.walk(definition):
        if not (isinstance(node, ast.Name) and node.id == name):
            continue
        match context.tree.parents[node]:
            case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult(), right=right):
                values = context.values(right if left is node else left)
                if not values or not values <= ARRAY:
                    return False
            case _:
                return False
    return True


def _static_names(site: Site) -> frozenset[str]:
    """The names of static arguments, where they are written out."""
    match site.options.get("static_argnames"):
        case None:
            return frozenset()
        case ast.Constant(value=str() as name):
            return frozenset({name})
        case ast.Tuple(elts=elements) | ast.List(elts=elements) if all(
            isinstance(each, ast.Constant) and isinstance(each.value, str) for each in elements
        ):
            return frozenset(str(e.value) for e in elements if isinstance(e, ast.Constant))
        case _:
            raise NotCaptured(SownCause.STATIC_NOT_WRITTEN)
