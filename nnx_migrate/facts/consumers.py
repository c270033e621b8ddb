"""Where the result of a gradient goes: only to an optimizer, or to code that sees its type."""

from __future__ import annotations

import ast

from nnx_migrate.facts.evaluate import Evaluator
from nnx_migrate.facts.lower import lower_expr
from nnx_migrate.facts.sites import SiteFinder
from nnx_migrate.facts.syntax import Tree
from nnx_migrate.facts.values import Instance, Scope


def only_updates_optimizer(
    tree: Tree, finder: SiteFinder, evaluator: Evaluator, call: ast.Call, with_value: bool
) -> bool:
    """Whether the gradients that `call` returns reach nothing but `optimizer.update`.

    Args:
        call: the call of the gradient function.
        with_value: it returns (value, gradients).
    """
    statement = tree.parents.get(call)
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return _is_update_argument(tree, evaluator, call) and not with_value
    target = statement.targets[0]
    if with_value:
        if not isinstance(target, ast.Tuple) or len(target.elts) != 2:
            return False
        target = target.elts[1]
    if not isinstance(target, ast.Name):
        return False
    scope = tree.scope(statement)
    loads = finder.loads(scope, target.id)
    return bool(loads) and all(_is_update_argument(tree, evaluator, load) for load in loads)


def _is_update_argument(tree: Tree, evaluator: Evaluator, node: ast.expr) -> bool:
    call = tree.parents.get(node)
    if not isinstance(call, ast.Call) or node not in call.args:
        return False
    if not isinstance(call.func, ast.Attribute) or call.func.attr != "update":
        return False
    scope: Scope = tree.scope(call)
    values = evaluator.values(scope, lower_expr(call.func.value))
    return bool(values) and all(
        isinstance(v, Instance)
        and v.class_name in {"flax.nnx.Optimizer", "flax.nnx.ModelAndOptimizer"}
        for v in values
    )
