"""What a pin covers: sites that run inside a function which is in graph mode as a whole.

A pin puts the mode setters around the function that it transforms. A transform that is made and
called inside that function is in graph mode already, and says so no second time.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterable
from typing import TypeVar

from nnx_migrate.analysis.flax.transforms import SETTERS
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.analysis.sites.tree import AnyFunction, FunctionNode
from nnx_migrate.core.findings import Evidence, Proof
from nnx_migrate.rewrite.claims import PlanClaim
from nnx_migrate.rewrite.model.causes import PlanCause
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import Same
from nnx_migrate.rewrite.model.functions import definition_of, is_owned

_T = TypeVar("_T")


def covered_by_setters(context: FileContext, node: ast.AST) -> bool:
    """Whether graph mode is set for the code around a node, by decorators or by `with`."""
    for parent in context.tree.ancestors(node):
        expressions: list[ast.expr] = []
        if isinstance(parent, FunctionNode) and node not in parent.decorator_list:
            expressions = parent.decorator_list
        elif isinstance(parent, ast.With | ast.AsyncWith):
            expressions = [item.context_expr for item in parent.items]
        elif isinstance(parent, ast.Call):
            expressions = [parent.func]
        for expression in expressions:
            if not isinstance(expression, ast.Call):
                continue
            if context.tree.nnx_name(expression.func) in SETTERS:
                return True
    return False


def outermost_first(context: FileContext, pins: Iterable[tuple[Site, _T]]) -> list[tuple[Site, _T]]:
    """Pins in such an order that one stands before those of sites in the functions it covers."""

    def begin(pin: tuple[Site, _T]) -> int:
        places = (pin[0].node, *covered_functions(context, pin[0]))
        return min(context.text.span(place)[0] for place in places)

    return sorted(pins, key=begin)


@dataclasses.dataclass(frozen=True, slots=True)
class Region:
    """The functions that a pin keeps in graph mode as a whole."""

    pinned: Site
    functions: tuple[AnyFunction, ...]


def region_around(context: FileContext, site: Site, regions: Iterable[Region]) -> Region | None:
    """The region in which a site is made and its result called, if there is one."""
    return next((r for r in regions if _runs_within(context, site, r.functions)), None)


def left_alone(context: FileContext, rule: str, region: Region) -> Same:
    """What is decided of a site that another site's pin covers."""
    place = context.where(region.pinned.node)
    evidence = Evidence(str(PlanClaim.SET_AROUND), Proof.PROVED, place)
    return Same(rule, PlanCause.IN_REGION.about(place), (evidence,))


def covered_functions(context: FileContext, site: Site) -> tuple[AnyFunction, ...]:
    """Functions that run with the setters around them once the site is pinned with them.

    A function that is called in other places too has the setters at this one alone.
    """
    if site.form == "decorator":
        found: list[object] = [site.function]
    else:
        functions = site.functions if site.form == "operands" else (site.function,)
        definitions = (
            definition_of(context, each) for each in functions if isinstance(each, ast.expr)
        )
        found = [each for each in definitions if each and is_owned(context, site, each)]
    return tuple(
        each for each in found if isinstance(each, ast.FunctionDef | ast.Lambda) and _runs(each)
    )


def _runs_within(context: FileContext, site: Site, functions: tuple[AnyFunction, ...]) -> bool:
    if site.form not in {"call", "operands", "decorator"} or site.escapes:
        return False
    # The passes of a custom_vjp run when its call has ended.
    if site.wrapper is not None or site.spec.has_passes:
        return False
    return all(_is_inside(context, node, functions) for node in (site.node, *site.uses))


def _is_inside(context: FileContext, node: ast.AST, regions: tuple[AnyFunction, ...]) -> bool:
    """Whether the function around a node is one of these, or one that only they call."""
    function = context.tree.function_around(node)
    while function is not None and function not in regions:
        if not isinstance(function, ast.FunctionDef) or not _runs(function):
            return False
        scope = context.tree.scope(function)
        loads = context.finder.loads(scope, function.name)
        if not loads or not all(_is_run_by(context, load) for load in loads):
            return False
        function = context.tree.function_around(function)
    return function is not None


def _is_run_by(context: FileContext, load: ast.expr) -> bool:
    """Whether a function goes nowhere from here: it is called, or transformed and then called."""
    parent = context.tree.parents[load]
    if isinstance(parent, ast.Call) and parent.func is load:
        return True
    return any(
        site.form in {"call", "operands"}
        and load in (site.function, *site.functions)
        and not site.escapes
        and not site.spec.has_passes
        for site in context.finder.sites
    )


def _runs(function: AnyFunction) -> bool:
    """Whether calling it runs its body, at once and to the end."""
    if isinstance(function, ast.AsyncFunctionDef):
        return False
    own: list[ast.AST] = list(ast.iter_child_nodes(function))
    while own:
        node = own.pop()
        if isinstance(node, ast.Yield | ast.YieldFrom):
            return False
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            own.extend(ast.iter_child_nodes(node))
    return True
