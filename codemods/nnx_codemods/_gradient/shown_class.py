"""What the code around a gradient shows of an argument whose class nothing names.

A loss that merges its parameter was given a State. One that calls it, or a method of it, while an
optimizer is updated with the same object and its gradients, was given a Module: no State, no
container and no array is called, and `nnx.Optimizer.update` raises for gradients of anything else.
So was one that calls it where nnx gets the same object (`nnx.state(model, nnx.Param)`), or where it
is set to `train()` or `eval()`.
Of what class the Module is stays open, so the new code checks what the loss does to it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from nnx_codemods._gradient.given_to_nnx import has_mode_set, is_given_to_nnx
from nnx_migrate.analysis.callgraph import binding
from nnx_migrate.analysis.domain.values import (
    NOTHING,
    STATE,
    Basic,
    FunctionValue,
    Instance,
    Scope,
    Values,
)
from nnx_migrate.analysis.interp.observed import observed_values
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.sites.gradient_uses import STATE_METHODS
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.analysis.sites.tree import FunctionNode
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.functions import function_scopes, parameter_at

_MODULE = "flax.nnx.Module"
#: A parameter that was looked at -> whether it is used as an object; not so while it is looked at.
_Looked = dict[tuple[Scope, str], bool]


def shown_class(context: FileContext, site: Site, index: int, values: Values) -> Values:
    """What the argument at `index` is by its uses; `values` where they show no more than these.

    Args:
        values: what is known of it.
    """
    scopes = function_scopes(context, site)
    named = bool(values) and all(isinstance(value, Instance) for value in values)
    if named or not all(_may_be_module(context, value) for value in values):
        return values
    parameters = [(scope, parameter_at(context, site, scope, index)) for scope in scopes]
    given = [(scope, name) for scope, name in parameters if name is not None]
    if not given or len(given) != len(parameters):
        return values
    if all(_is_merged(context, scope, name) for scope, name in given):
        return STATE
    if seen := _seen_in_runs(context, given):
        return seen
    looked: _Looked = {}
    used = all(_is_used_as_object(context, scope, name, looked) for scope, name in given)
    if not used or not site.uses:
        return values
    if all(_is_optimized(context, site, use, index) for use in site.uses):
        words = "called in the loss, and passed to an optimizer with its gradients"
    elif all(is_given_to_nnx(context, use, index) for use in site.uses):
        words = "called in the loss, and passed to a function of nnx"
    elif all(has_mode_set(context, use, index) for use in site.uses):
        words = "called in the loss, and set to train() or eval()"
    else:
        return values
    return frozenset({Instance(_MODULE, exact=False, origin=words)})


def _seen_in_runs(context: FileContext, given: Iterable[tuple[Scope, str]]) -> Values:
    """What runs have passed to losses, where that were always objects; NOTHING otherwise.

    Args:
        given: the losses, with the names of their parameters.
    """
    found: Values = NOTHING
    for scope, name in given:
        parameters = context.project.function(scope).parameters
        parameter = next((each for each in parameters if each.name == name), None)
        if parameter is None:
            return NOTHING
        values = observed_values(context.evaluator, scope, parameter)
        if not values or not all(isinstance(value, Instance) for value in values):
            return NOTHING
        found |= values
    return found


def _may_be_module(context: FileContext, value: object) -> bool:
    match value:
        case Basic(sort=sort):
            return sort == "unknown"
        case Instance(class_name=class_name):
            return context.evaluator.hierarchy.kind(class_name) == "module"
        case _:
            return False


def _is_merged(context: FileContext, scope: Scope, name: str) -> bool:
    """Whether a loss of this file merges its parameter, whatever way it takes."""
    definition = context.tree.functions.get(scope.function)
    if scope.module != context.tree.module or not isinstance(definition, FunctionNode):
        return False
    if name in context.project.function(scope).bindings:
        return False
    return any(
        isinstance(argument, ast.Name) and argument.id == name
        for call in _unconditional_calls(definition)
        if context.tree.nnx_name(call.func) == "merge"
        for argument in call.args[1:]
    )


def _unconditional_calls(definition: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[ast.Call]:
    """Calls that stand alone on the right of the first assignments of a body."""
    for statement in definition.body:
        match statement:
            case ast.Assign(value=ast.Call() as call):
                yield call
            case ast.Assign() | ast.AnnAssign() | ast.Expr(value=ast.Constant()):
                continue
            case _:
                return


def _is_used_as_object(context: FileContext, scope: Scope, name: str, looked: _Looked) -> bool:
    """Whether a function calls its parameter, or a method of it that no State has."""
    if (scope, name) not in looked:
        looked[scope, name] = False
        looked[scope, name] = _uses_as_object(context, scope, name, looked)
    return looked[scope, name]


def _uses_as_object(context: FileContext, scope: Scope, name: str, looked: _Looked) -> bool:
    function = context.project.function(scope)
    if name in function.bindings:
        return False
    for call in function.calls:
        match call.func:
            case ir.Name(id=called) if called == name:
                return True
            case ir.Attribute(base=ir.Name(id=base), name=method) if base == name:
                if method not in STATE_METHODS:
                    return True
        if _is_handed_on(context, scope, call, name, looked):
            return True
    return any(_is_used_inside(context, scope, key, name, looked) for key in function.nested)


def _is_used_inside(
    context: FileContext, outer: Scope, key: str, name: str, looked: _Looked
) -> bool:
    inner = Scope(outer.module, key)
    own = {parameter.name for parameter in context.project.function(inner).parameters}
    return name not in own and _is_used_as_object(context, inner, name, looked)


def _is_handed_on(
    context: FileContext, scope: Scope, call: ir.Call, name: str, looked: _Looked
) -> bool:
    for place, argument in enumerate(call.args):
        if argument != ir.Name(name):
            continue
        called = context.evaluator.values(scope, call.func)
        functions = [value for value in called if isinstance(value, FunctionValue)]
        if len(functions) != len(called):
            return False
        if _is_a_loss(context, scope, call):
            # A base class may define it, only to raise: what gives None is no loss.
            functions = [value for value in functions if _gives_something(context, value)]
        if not functions:
            return False
        for value in functions:
            parameter = binding.parameter_at(context.project.function(value.scope), value, place)
            if parameter is None or not _is_used_as_object(
                context, value.scope, parameter.name, looked
            ):
                return False
        return True
    return False


def _is_a_loss(context: FileContext, scope: Scope, call: ir.Call) -> bool:
    """Whether the result of a call is all that a function returns, or is taken apart in it."""
    function = context.project.function(scope)
    if function.returns == (call,):
        return True
    parts = (part for bound in function.bindings.values() for part in bound)
    return any(isinstance(part, ir.Unpacked) and part.base == call for part in parts)


def _gives_something(context: FileContext, value: FunctionValue) -> bool:
    function = context.project.function(value.scope)
    return bool(function.returns or function.yields)


def _is_optimized(context: FileContext, site: Site, use: ast.Call, index: int) -> bool:
    """Whether what is differentiated goes to `optimizer.update` together with its gradients.

    An optimizer that holds its model is given the gradients alone: `o.update(grads)` of `o.model`.
    """
    if len(use.args) <= index or any(isinstance(each, ast.Starred) for each in use.args):
        return False
    gradients = _bound_gradients(context, site, use)
    if gradients is None:
        return False
    model = ast.unparse(use.args[index])
    scope = context.tree.scope(gradients)
    for load in context.finder.loads(scope, gradients.id):
        call = context.tree.parents.get(load)
        if isinstance(call, ast.keyword):
            call = context.tree.parents.get(call)
        if isinstance(call, ast.Call) and _updates(context, call, model):
            return True
    return False


def _bound_gradients(context: FileContext, site: Site, use: ast.Call) -> ast.Name | None:
    match context.tree.parents.get(use):
        case ast.Assign(targets=[ast.Tuple(elts=[_, ast.Name() as target])]):
            return target if site.spec.has_value else None
        case ast.Assign(targets=[ast.Name() as target]):
            return None if site.spec.has_value else target
        case _:
            return None


def _updates(context: FileContext, call: ast.Call, model: str) -> bool:
    if not (isinstance(call.func, ast.Attribute) and call.func.attr == "update"):
        return False
    optimizer = call.func.value
    values = context.values(optimizer)
    kinds = {
        context.evaluator.hierarchy.kind(v.class_name) if isinstance(v, Instance) else None
        for v in values
        if not (isinstance(v, Basic) and v.sort == "unknown")
    }
    if not kinds <= {"optimizer", "module"}:
        return False
    given = [*call.args, *(each.value for each in call.keywords)]
    if len(given) > 1:
        return ast.unparse(given[0]) == model
    if (
        values
        and kinds == {"optimizer"}
        and len(values) == sum(isinstance(value, Instance) for value in values)
    ):
        return True  # it takes no gradients but those of Modules
    held = f"{ast.unparse(optimizer)}.model"
    return held == model or _is_bound_to(context, call, model, held)


def _is_bound_to(context: FileContext, call: ast.Call, name: str, text: str) -> bool:
    """Whether a name is bound once where the call stands, to that expression."""
    bound = [
        node
        for node in context.tree.nodes
        if isinstance(node, ast.Name)
        and node.id == name
        and isinstance(node.ctx, ast.Store)
        and context.tree.scope(node) == context.tree.scope(call)
    ]
    parents = [context.tree.parents.get(node) for node in bound]
    return len(parents) == 1 and (
        isinstance(parents[0], ast.Assign) and ast.unparse(parents[0].value) == text
    )
