"""The function at a site, and what its arguments are."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from nnx_migrate.analysis.callgraph import binding
from nnx_migrate.analysis.callgraph.transformed import CAPTURED
from nnx_migrate.analysis.domain.containers import is_container
from nnx_migrate.analysis.domain.unknown import Unknown, unknown
from nnx_migrate.analysis.domain.values import NOTHING, FunctionValue, Located, Scope, Value, Values
from nnx_migrate.analysis.domain.witnesses import in_order
from nnx_migrate.analysis.flax.transforms import spec
from nnx_migrate.analysis.heap.contents import Contents
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.library.return_model import elements_of
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.analysis.sites.tree import AnyFunction, FunctionNode
from nnx_migrate.rewrite.model.context import FileContext


def function_values(context: FileContext, site: Site) -> Values:
    """What the transformed function can be; of control flow, any of its branches."""
    if site.form == "operands":
        values = (context.values(branch) for branch in site.branches)
        return frozenset(v for found in values for held in found for v in _branches_in(held))
    if isinstance(site.function, FunctionNode):
        scope = context.tree.scope_of(site.function)
        return frozenset({FunctionValue(scope, scope.function)})
    if isinstance(site.function, ast.expr):
        found = context.values(site.function)
        return frozenset(context.evaluator.hierarchy.run_by_call(value) for value in found)
    return NOTHING


def _branches_in(value: Value) -> Values:
    """The functions of a list of them, or the one itself."""
    return elements_of(value) if is_container(value) else frozenset({value})


def function_scopes(context: FileContext, site: Site) -> tuple[Scope, ...]:
    """The definitions that the transformed function can be; empty when they are not all known."""
    values = function_values(context, site)
    if not values or not all(isinstance(v, FunctionValue) for v in values):
        return ()
    return tuple(sorted((v.scope for v in values if isinstance(v, FunctionValue)), key=str))


def is_captured(context: FileContext, site: Site) -> bool:
    """Whether what is transformed is a function under `nnx.capture`.

    What such a function sows on its first argument is collected, or is not stored at all.
    """
    if isinstance(site.function, FunctionNode):
        inner = site.function.decorator_list[site.function.decorator_list.index(site.node) + 1 :]
        calls = [each.func for each in inner if isinstance(each, ast.Call) and each.args]
        return any(spec(context.tree.nnx_name(func)).collects for func in calls)
    values = function_values(context, site)
    return bool(values) and all(
        isinstance(v, FunctionValue) and any(t.startswith(CAPTURED) for t in v.transforms)
        for v in values
    )


def parameter_at(context: FileContext, site: Site, scope: Scope, index: int) -> str | None:
    """The name of the parameter that receives the argument at `index`."""
    called = FunctionValue(scope, scope.function)
    for value in in_order(function_values(context, site)):
        if isinstance(value, FunctionValue) and value.scope == scope:
            called = value
    function = context.project.function(scope)
    parameter = binding.parameter_at(function, called, index + site.leading, catching=True)
    return parameter.name if parameter is not None else None


def argument_values(context: FileContext, site: Site, index: int) -> Values:
    """What the argument at `index` can be, over all known uses of the site's result."""
    if site.form == "operands":
        if site.complete and index < len(site.operands):
            return context.values(site.operands[index])
        return _parameter_values(context, site, index)
    if site.form == "decorator" or site.escapes or not site.uses:
        return _parameter_values(context, site, index)
    found: Values = NOTHING
    for use in site.uses:
        found |= _passed(context, site, use, index)
    return found


def argument_contents(context: FileContext, site: Site, index: int, values: Values) -> Contents:
    """What the argument at `index` holds, by the calls that make what the uses pass.

    Args:
        values: what it can be.
    """
    contents = context.analysis.contents
    found = Contents()
    passed = (
        [] if site.form == "operands" or site.escapes else list(_passed_at(context, site, index))
    )
    for where in passed:
        if where is None:
            return contents.of(values)
        found |= contents.of_passed(where.scope, where.expr)
    return found if passed else contents.of(values)


def _passed_at(context: FileContext, site: Site, index: int) -> Iterator[Located | None]:
    """What each use of the site's result passes at a place; None where that is not clear."""
    if site.form == "decorator":
        for scope in function_scopes(context, site):
            for where, call, value in context.evaluator.callers.of(scope):
                plain = isinstance(call.func, ir.Name) and not value.bound
                hidden = any(isinstance(each, ir.Starred) for each in call.args[: index + 1])
                shown = plain and not hidden and len(call.args) > index
                yield Located(where, call.args[index]) if shown else None
        return
    for use in site.uses:
        before = use.args[: index + 1]
        hidden = any(isinstance(each, ast.Starred) for each in before)
        if hidden or len(before) <= index:
            yield None
        else:
            passed = before[index]
            yield Located(context.tree.scope(passed), context.reaching.lowered(passed))


def given_parameters(
    context: FileContext, site: Site, scope: Scope
) -> Iterator[tuple[int | None, str, Values]]:
    """Each parameter of a transformed function: its place, its name, and what it can be.

    The place is None for a parameter that is passed by keyword only, and for `**kwargs`.
    """
    parameters = context.project.function(scope).parameters
    # `*args` has as many places as the longest call fills.
    passed = max((len(use.args) for use in site.uses), default=0)
    for index in range(max(len(parameters), passed)):
        name = parameter_at(context, site, scope, index)
        if name is not None:
            yield index, name, argument_values(context, site, index)
    for parameter in parameters:
        if parameter.kind in {"keyword", "double_star"}:
            held = context.met(context.evaluator.parameter(scope, parameter))
            yield None, parameter.name, held


def _passed(context: FileContext, site: Site, use: ast.Call, index: int) -> Values:
    for place, arg in enumerate(use.args):
        if isinstance(arg, ast.Starred):
            return unknown(Unknown.UNPACKED_ARGUMENTS)
        if place == index:
            return context.values(arg)
    for scope in function_scopes(context, site):
        name = parameter_at(context, site, scope, index)
        for keyword in use.keywords:
            if keyword.arg == name:
                return context.values(keyword.value)
    return _parameter_values(context, site, index)


def _parameter_values(context: FileContext, site: Site, index: int) -> Values:
    found: Values = NOTHING
    for scope in function_scopes(context, site):
        name = parameter_at(context, site, scope, index)
        for parameter in context.project.function(scope).parameters:
            if parameter.name == name:
                found |= context.met(context.evaluator.parameter(scope, parameter))
    return found or unknown(Unknown.TAKER_NOT_IN_PROJECT)


def definition_of(
    context: FileContext, function: ast.expr | AnyFunction | None
) -> AnyFunction | None:
    """The definition, in this file, of the function that an expression names."""
    if function is None or isinstance(function, AnyFunction):
        return function
    values = context.values(function)
    if len(values) != 1:
        return None
    (value,) = values
    scope = getattr(value, "scope", None)
    if scope is None or scope.module != context.tree.module:
        return None
    if getattr(value, "transforms", ()) or getattr(value, "bound", False):
        return None
    if getattr(value, "partial_args", 0):
        return None
    return context.tree.functions.get(scope.function)


def is_owned(context: FileContext, site: Site, definition: AnyFunction) -> bool:
    """Whether nothing but this site uses the function, and it sees the names of the call."""
    functions = (site.function, *site.functions)
    if isinstance(definition, ast.Lambda):
        return definition in functions
    if definition.decorator_list or isinstance(definition, ast.AsyncFunctionDef):
        return False
    scope = context.tree.scope(definition)
    if context.tree.class_around(definition) is not None:
        return False
    if context.tree.scope(site.node) != scope:
        return False
    loads = context.finder.loads(scope, definition.name)
    if len(context.project.bindings(scope, definition.name)) != 1 or len(loads) != 1:
        return False
    # At module level anyone may import it; nobody imports what a script's loop defines anew.
    in_loop = isinstance(context.tree.parents[definition], ast.For | ast.While | ast.With)
    if context.outermost_function(definition) is None and not in_loop:
        return False
    return loads[0] in functions


def free_names(context: FileContext, definition: AnyFunction) -> tuple[ast.Name, ...]:
    """Every place in a function that reads a name from the functions around it, or the module."""
    if definition not in context.free_names:
        context.free_names[definition] = tuple(_free_names(context, definition))
    return context.free_names[definition]


def _free_names(context: FileContext, definition: AnyFunction) -> Iterator[ast.Name]:
    here = context.tree.scope_of(definition)
    body = definition.body if isinstance(definition.body, list) else [definition.body]
    for part in body:
        for node in ast.walk(part):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                bindings = context.project.bindings(context.tree.scope(node), node.id)
                if bindings and not any(_is_inside(context, b.scope, here) for b in bindings):
                    yield node


def _is_inside(context: FileContext, scope: Scope, outer: Scope) -> bool:
    if scope.module != outer.module:
        return False
    key: str | None = scope.function
    while key is not None and key != outer.function:
        key = context.project.function(Scope(scope.module, key)).parent
    return key is not None
