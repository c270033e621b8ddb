"""Where what layers sow is collected: under capture already, by a rewrite, or popped eagerly."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Callable, Mapping

from nnx_codemods._callers.entry_calls import Way, all_ways_in, check_unpublished, is_under_capture
from nnx_codemods._sown.layers import OVER_LAYERS, Layers, functions_of, layers_of, root_parameter
from nnx_codemods._sown.pops.forward_calls import NotCaptured
from nnx_codemods._sown.pops.pairs import popped_after
from nnx_migrate.analysis.domain.values import Scope
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.analysis.sites.tree import AnyFunction
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.sown_plans import CapturedCall


@dataclasses.dataclass(frozen=True, slots=True)
class Outlets:
    """The ways out of what a transform over layers sows.

    Args:
        through: the functions that it comes through, with the parameter of each.
        popped: the calls of such functions after each of which it is popped, with the function.
        assumed: what has to be assumed for these to be all.
    """

    through: Mapping[Scope, str]
    popped: tuple[tuple[CapturedCall, Scope], ...]
    assumed: tuple[str, ...]


def outlets_of(
    context: FileContext, layers: Layers, is_collected: Callable[[Site], bool]
) -> Outlets:
    """Follow what layers sow to where it is collected.

    Args:
        is_collected: whether the transform of a function collects what that sows, or will.

    Raises:
        NotCaptured: it is not, on some way.
    """
    search = _Search(context, is_collected)
    for function, parameter in layers.objects:
        search.enter(context, function, parameter)
    return Outlets(search.through, tuple(search.popped), tuple(dict.fromkeys(search.assumed)))


class _Search:
    def __init__(self, context: FileContext, is_collected: Callable[[Site], bool]) -> None:
        self.home = context
        self.is_collected = is_collected
        self.sites = functions_of(context)
        self.through: dict[Scope, str] = {}
        self.popped: list[tuple[CapturedCall, Scope]] = []
        self.assumed: list[str] = []

    def enter(self, context: FileContext, function: AnyFunction, parameter: str) -> None:
        """Follow what lies on a parameter of a function when that returns."""
        scope = context.tree.scope_of(function)
        if scope in self.through:
            if self.through[scope] != parameter:
                raise NotCaptured(f"it sows on {parameter} and on {self.through[scope]}")
            return
        self.through[scope] = parameter
        names = context.project.function(scope).parameters
        if is_under_capture(context, function) and names[0].name == parameter:
            return
        if not isinstance(function, ast.FunctionDef | ast.Lambda):
            raise NotCaptured(f"{function.name} is a coroutine")
        here = context is self.home
        sites = (self.sites if here else functions_of(context)).get(function, [])
        for site in sites:
            if not here:
                raise NotCaptured(f"{site.written} is around it in {context.file}")
            self._traced(site)
        if not sites:
            self._called(context, function, parameter, scope)

    def _traced(self, site: Site) -> None:
        if self.is_collected(site):
            return
        if site.transform not in OVER_LAYERS:
            raise NotCaptured(f"{site.written} around it does not give it back")
        for function, parameter in layers_of(self.home, site).objects:
            self.enter(self.home, function, parameter)

    def _called(
        self,
        context: FileContext,
        function: ast.FunctionDef | ast.Lambda,
        parameter: str,
        scope: Scope,
    ) -> None:
        name = _name(context, function)
        if getattr(function, "decorator_list", []):
            raise NotCaptured(f"{name} is decorated")
        ways = all_ways_in(context, function, parameter)
        assumed = check_unpublished(context, name)
        self.assumed += [assumed] if assumed else []
        for way in ways:
            if not way.captured:
                self._out(way, scope)

    def _out(self, way: Way, scope: Scope) -> None:
        own = way.given if way.given not in way.call.args else None
        if isinstance(way.given, ast.Name):
            pair = popped_after(way.context, way.call, own)
            if isinstance(pair, CapturedCall):
                if pair.popper is not None:
                    raise NotCaptured(f"{pair.popper.function.name} pops what the layers sow")
                if own is None and way.call.args[:1] != [way.given]:
                    raise NotCaptured("what it sows on is not its first argument")
                self.popped.append((pair, scope))
                return
            reason = pair
        else:
            reason = f"a part of an object is called (line {way.call.lineno})"
        holder = way.context.tree.function_around(way.call)
        name = root_parameter(way.context, way.given)
        if isinstance(way.given, ast.Name) and way.given not in way.context.tree.parents:
            name = way.given.id  # the object of super()
        if holder is None or name is None:
            raise NotCaptured(reason)
        self.enter(way.context, holder, name)


def _name(context: FileContext, function: ast.FunctionDef | ast.Lambda) -> str:
    if isinstance(function, ast.Lambda):
        return "a lambda"
    around = context.tree.class_around(function)
    return around.name if around is not None else function.name
