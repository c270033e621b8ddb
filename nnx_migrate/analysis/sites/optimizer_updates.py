"""Calls that give gradients to an optimizer, which takes Modules of them like States."""

from __future__ import annotations

import ast

from nnx_migrate.analysis.domain.values import Instance, Scope
from nnx_migrate.analysis.interp.interpreter import Evaluator
from nnx_migrate.analysis.ir.lowering.expressions import lower_expr
from nnx_migrate.analysis.sites.tree import FunctionNode, Tree

_OPTIMIZERS = frozenset({"flax.nnx.Optimizer", "flax.nnx.ModelAndOptimizer"})
_UPDATE = "update"
_GRADIENTS = "grads"


def takes_gradients(tree: Tree, evaluator: Evaluator, call: ast.Call, given: ast.expr) -> bool:
    """Whether a call is `optimizer.update`, or the project's own that hands on what it is given.

    Args:
        given: one of its arguments.
    """
    if not (isinstance(call.func, ast.Attribute) and call.func.attr == _UPDATE):
        return False
    values = evaluator.values(tree.scope(call), lower_expr(call.func.value))
    if not values or not all(isinstance(value, Instance) for value in values):
        return False
    return all(
        (value.class_name in _OPTIMIZERS and _is_gradients(call, given))
        or all(
            _hands_on(tree, evaluator, each, call, given)
            for each in evaluator.hierarchy.classes_of(value)
        )
        for value in values
        if isinstance(value, Instance)
    )


def _is_gradients(call: ast.Call, given: ast.expr) -> bool:
    """Whether the library's `update` takes an argument for the gradients.

    All that has another name goes to optax as it is, which may lay it beside a State: `grad=`.
    """
    return all(each.arg == _GRADIENTS for each in call.keywords if each.value is given)


def _hands_on(
    tree: Tree,
    evaluator: Evaluator,
    class_name: str,
    call: ast.Call,
    given: ast.expr,
) -> bool:
    """Whether the `update` of a class of this file gives an argument to the library's alone."""
    hierarchy = evaluator.hierarchy
    method = hierarchy.method(class_name, _UPDATE)
    if not hierarchy.ancestry(class_name).closed or hierarchy.kind(class_name) != "optimizer":
        return False
    if not isinstance(method, Scope):
        return method is not None and _is_gradients(call, given)
    definition = tree.functions.get(method.function)
    if method.module != tree.module or not isinstance(definition, FunctionNode):
        return False
    owner = f"{method.module}:{evaluator.project.function(method).owner}"
    if any(isinstance(above, Scope) for above in hierarchy.super_methods(owner, _UPDATE)):
        return False
    name = _parameter(definition, call, given)
    if name is None or definition.decorator_list:
        return False
    named = [n for n in ast.walk(definition) if isinstance(n, ast.Name) and n.id == name]
    return bool(named) and all(_goes_above(tree, each) for each in named)


def _parameter(
    definition: ast.FunctionDef | ast.AsyncFunctionDef, call: ast.Call, given: ast.expr
) -> str | None:
    """The parameter that an argument of a call of a method goes to."""
    arguments = definition.args
    named = next((each.arg for each in call.keywords if each.value is given), None)
    if named is not None:
        known = [*arguments.args[1:], *arguments.kwonlyargs]
        return named if any(each.arg == named for each in known) else None
    if given not in call.args or arguments.posonlyargs:
        return None
    before = call.args[: call.args.index(given) + 1]
    if any(isinstance(each, ast.Starred) for each in before):
        return None
    places = [each.arg for each in arguments.args[1:]]
    return places[len(before) - 1] if len(before) <= len(places) else None


def _goes_above(tree: Tree, named: ast.Name) -> bool:
    """Whether a name stands as an argument of `super().update`."""
    match tree.parents.get(named):
        case ast.Call(
            func=ast.Attribute(value=ast.Call(func=ast.Name(id="super")), attr="update"), args=args
        ):
            return named in args
        case _:
            return False
