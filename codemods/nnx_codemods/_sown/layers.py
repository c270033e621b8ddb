"""Transforms over parts of an object that sow: `nnx.scan` over the layers of a model.

Under `nnx.capture` around what calls the model, what such layers sow comes out of `scan` and `vmap`
stacked, under the paths at which graph mode has it (docs/semantics.md: SOW-6).
"""

from __future__ import annotations

import ast
import dataclasses

from nnx_codemods._callers.known_calls import known_calls
from nnx_codemods._sown.pops.forward_calls import NotCaptured
from nnx_migrate.analysis.domain.values import Located, ParameterOf, Scope
from nnx_migrate.analysis.flax.transforms import of_nnx
from nnx_migrate.analysis.heap.numbered_parts import IndexedFinder
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.ir.lower_expressions import lower_expr
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.analysis.sites.tree import AnyFunction
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.functions import definition_of, function_scopes, given_parameters

#: Transforms that a layer goes through with what it collects.
OVER_LAYERS = of_nnx(lambda t: t.gives_back and not t.compiles)
_MAX_HOPS = 4


@dataclasses.dataclass(frozen=True, slots=True)
class Layers:
    """A transform that is given parts of an object, and sows on them.

    Args:
        uses: the calls of it.
        objects: the functions that call it, each with the parameter whose parts they are.
    """

    uses: tuple[ast.Call, ...]
    objects: tuple[tuple[AnyFunction, str], ...]


def layers_of(context: FileContext, site: Site) -> Layers:
    """What a transform over layers is given.

    Raises:
        NotCaptured: what the layers sow would not come out of it as in graph mode.
    """
    if not site.complete or site.options.keys() - site.spec.plain_options:
        raise NotCaptured(f"{site.written} has other options than axes")
    places = _sown_places(context, site)
    for place in places:
        _check_axis(site, place)
    objects = []
    uses = _uses(context, site)
    for use in uses:
        holder = context.tree.function_around(use)
        for place in sorted(places):
            if place >= len(use.args) or any(isinstance(a, ast.Starred) for a in use.args[:place]):
                raise NotCaptured(f"what it is given in line {use.lineno} is not clear")
            given = use.args[place]
            name = root_parameter(context, given)
            if holder is None or name is None:
                raise NotCaptured(f"what sows is no part of a parameter (line {use.lineno})")
            reason = IndexedFinder(context.evaluator).reason(context.values(given))
            if reason:
                raise NotCaptured(f"under capture it may not go through a transform: {reason}")
            objects.append((holder, name))
    return Layers(uses, tuple(dict.fromkeys(objects)))


def sows_on(context: FileContext, site: Site) -> bool:
    """Whether the function of a transform over layers sows on what it is given."""
    if site.transform not in OVER_LAYERS or site.form not in {"decorator", "call"}:
        return False
    return any(
        effect.sows
        for scope in function_scopes(context, site)
        for _, name, _ in given_parameters(context, site, scope)
        for effect in context.analysis.effects.of(scope, name)
    )


def _sown_places(context: FileContext, site: Site) -> set[int]:
    """The places of the arguments that the function sows on."""
    found: set[int] = set()
    for scope in function_scopes(context, site):
        for place, name, _ in given_parameters(context, site, scope):
            effects = context.analysis.effects.of(scope, name)
            if any(effect.sows for effect in effects):
                if place is None:
                    raise NotCaptured(f"{name} is passed by keyword")
                found.add(place)
    return found


def _check_axis(site: Site, place: int) -> None:
    """The layers are mapped over their first axis, where graph mode stacks what they sow."""
    if not site.spec.maps_axes:
        return
    axes = site.options.get("in_axes")
    axis: ast.expr | int | None = axes
    if axes is None:
        axis = 0 if not site.spec.carries or place == 1 else None
    elif isinstance(axes, ast.Tuple):
        axis = axes.elts[place] if place < len(axes.elts) else None
    if axis != 0 and not (isinstance(axis, ast.Constant) and axis.value == 0):
        raise NotCaptured("the axis of what is sown is not 0")


def _uses(context: FileContext, site: Site) -> tuple[ast.Call, ...]:
    """The calls of what the transform gives."""
    if site.form == "decorator":
        definition = site.function
        assert isinstance(definition, ast.FunctionDef | ast.AsyncFunctionDef)
        if context.tree.class_around(definition) is not None:
            raise NotCaptured("its function is a method")
        sites = {s.node: s for s in context.finder.sites if s.function is definition}
        for decorator in definition.decorator_list:
            other = sites.get(decorator)
            if other is None or other.transform not in OVER_LAYERS:
                raise NotCaptured("its function has other decorators too")
        return known_calls(context, definition, definition.name)
    around = context.tree.parents[site.node]
    for other in context.finder.sites:  # nnx.scan(nnx.remat(f))
        if other.node is around and other.function is site.node and other.transform in OVER_LAYERS:
            return _uses(context, other)
    if site.escapes or not site.uses:
        raise NotCaptured(site.escapes or "it is not called in this file")
    return site.uses


def root_parameter(context: FileContext, expression: ast.expr) -> str | None:
    """The parameter of the function around it that an object is, or is a part of."""
    scope = context.tree.scope(expression)
    part = lower_expr(expression)
    for _ in range(_MAX_HOPS):
        while isinstance(part, ir.Attribute | ir.Element):
            part = part.base
        if not isinstance(part, ir.Name):
            return None
        match context.project.bindings(scope, part.id):
            case [ParameterOf(scope=owner)] if owner == scope:
                return part.id
            case [Located(scope=owner, expr=ir.Attribute() as held)] if owner == scope:
                part = held  # blocks = self.blocks
            case _:
                return None
    return None


def functions_of(context: FileContext) -> dict[AnyFunction, list[Site]]:
    """The transforms of a file, by the functions that they are applied to."""
    found: dict[AnyFunction, list[Site]] = {}
    for site in context.finder.sites:
        if site.form not in {"decorator", "call"}:
            continue
        scopes: tuple[Scope, ...] = ()
        definition = definition_of(context, site.function)
        if definition is None:
            scopes = function_scopes(context, site)
        for each in (definition, *(_local(context, scope) for scope in scopes)):
            if each is not None:
                found.setdefault(each, []).append(site)
    return found


def _local(context: FileContext, scope: Scope) -> AnyFunction | None:
    return (
        context.tree.functions.get(scope.function) if scope.module == context.tree.module else None
    )
