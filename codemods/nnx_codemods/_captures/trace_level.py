"""Whether an object is of the trace level at which a transform is applied to a function over it."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterator

from nnx_codemods._captures.captures import Captured, calls_of_decorated, definitions_of
from nnx_codemods._captures.refusal import CaptureCause
from nnx_migrate.analysis.domain.values import (
    FunctionValue,
    Located,
    ParameterOf,
    Scope,
    scope_around,
)
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.analysis.sites.tree import AnyFunction
from nnx_migrate.core.place import Place
from nnx_migrate.core.refusal import Reason
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.ownership import runs_untraced
from nnx_migrate.rewrite.model.stacks import stack_of

_FREE_VARIABLES = ("hijax", "var_defaults")
#: The names that a site is going to pass explicitly.
Carried = Callable[[Site], Collection[str]]


def may_be_captured(context: FileContext) -> bool:
    """Whether Variables around here may be of the kinds that functions may capture and update.

    Those of hijax, and array references, are made where the code says so, or under its defaults.
    """
    for word in _FREE_VARIABLES:
        if not context.project.has_word(word):
            continue
        for module, index in context.project.modules.items():
            if word not in index.words or module.partition(".")[0] == "flax":
                continue
            here, imports = context.tree.module, context.analysis.imports
            if module == here or module in imports.of(here) or here in imports.of(module):
                return True
    return False


def obstacle(context: FileContext, site: Site, captured: Captured, carried: Carried) -> Reason:
    """Why the object is of another trace level at the loop itself; empty when it is not.

    A function between the loop and what binds the object, or one that calls it with an object of
    its own surroundings, may be traced: then the object has to go through that transform first.

    Args:
        carried: what another loop, of which this one is a part, is going to carry.
    """
    places = [site.node, *stack_of(context, site)[0].uses, *calls_of_decorated(context, site)]
    for (name, bound), place in itertools.product(captured.where, places):
        bindings = context.project.bindings(context.tree.scope(place), name)
        if any(binding.scope != bound for binding in bindings):
            return CaptureCause.OTHER_AT_CALL.about(name=name)
        around = context.tree.function_around(place)
        while around is not None and context.tree.scope_of(around) != bound:
            holders = [s for s in context.finder.sites if _runs(context, s, around)]
            passed = any(name in carried(holder) for holder in holders)
            if not passed and not runs_untraced(context, around):
                return CaptureCause.CAPTURED_AROUND.about(name=name)
            around = context.tree.function_around(around)
    for name, bound in captured.where:
        path = context.analysis.identity.path(bound, ir.Name(name))
        if reason := _given_captured(context, Scope(*path[:2]), path[2], frozenset()):
            return reason
    return ""


def _runs(context: FileContext, site: Site, function: AnyFunction) -> bool:
    if site.form == "reference":
        return False
    return any(each is function for each in definitions_of(context, site))


def _given_captured(
    context: FileContext, scope: Scope, name: str, around: frozenset[tuple[Scope, str]]
) -> Reason:
    """Whether some call passes for the parameter what the caller captures itself."""
    if (scope, name) in around or all(
        p.name != name for p in context.project.function(scope).parameters
    ):
        return ""
    if reason := _bound_elsewhere(context, scope, name):
        return reason
    for given in _passed(context, scope, name):
        root = given.expr
        while isinstance(root, ir.Attribute):
            root = root.base
        if not isinstance(root, ir.Name) or given.scope.function == ir.MODULE_SCOPE:
            continue
        bindings = context.project.bindings(given.scope, root.id)
        if any(b.scope != given.scope for b in bindings):
            line = context.project.function(given.scope).line
            return CaptureCause.CALLER_CAPTURES.about(Place(given.scope.module, line))
        if given.scope == scope or not any(isinstance(b, ParameterOf) for b in bindings):
            continue
        if reason := _given_captured(context, given.scope, root.id, around | {(scope, name)}):
            return reason
    return ""


def _bound_elsewhere(context: FileContext, scope: Scope, name: str) -> Reason:
    """Whether the parameter is bound before the function is traced, or static in its trace."""
    function = context.project.function(scope)
    outer = scope_around(scope, function)
    for decorator in function.decorators:
        options = decorator.keywords if isinstance(decorator, ir.Call) else ()
        static = any((option or "").startswith("static_arg") for option, _ in options)
        named = [decorator, *decorator.args] if isinstance(decorator, ir.Call) else [decorator]
        jax = any(
            (
                context.project.dotted(outer, each.func if isinstance(each, ir.Call) else each)
                or ""
            ).startswith("jax.")
            for each in named
        )
        if static and jax:
            return CaptureCause.STATIC_IN_JAX.about(function=function.name)
    own = function.parameters[0].name == name and function.owner is not None
    place = next(i for i, p in enumerate(function.parameters) if p.name == name)
    around = len(function.decorators)
    for _, _, value in context.evaluator.callers.of(scope):
        if value.partial_args > place or name in value.bound_keywords:
            return CaptureCause.BOUND_BEFORE.about(name=name, function=function.name)
        if own and value.bound and len(value.transforms) > around:
            return CaptureCause.METHOD_TRACED.about(function=function.name)
    if own and _is_passed_on(context, scope):
        return CaptureCause.METHOD_HANDED_ON.about(function=function.name)
    return ""


def _is_passed_on(context: FileContext, method: Scope) -> bool:
    """Whether a method goes somewhere as a value, bound to its object."""
    name = context.project.function(method).name
    for index in context.project.modules.values():
        if name not in index.words:
            continue
        for function in index.functions.values():
            for read in function.reads:
                if read.name != name:
                    continue
                here = Scope(index.module, function.key)
                for value in context.evaluator.values(here, read):
                    if isinstance(value, FunctionValue) and value.scope == method:
                        return True
    return False


def _passed(context: FileContext, scope: Scope, name: str) -> Iterator[Located]:
    """What each call in the project passes for a parameter, the object of a method included."""
    function = context.project.function(scope)
    callers = context.evaluator.callers
    for place, parameter in enumerate(function.parameters):
        if parameter.name != name:
            continue
        yield from callers.arguments(scope, function, parameter)
        if place == 0 and function.owner is not None:
            for where, call, value in callers.of(scope):
                if value.bound:
                    own = call.func.base if isinstance(call.func, ir.Attribute) else call.func
                    yield Located(where, own)
