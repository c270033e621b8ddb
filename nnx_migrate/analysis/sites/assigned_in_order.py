"""Which of several assignments a local name stands for where it is read.

grad_fn = nnx.grad(first_loss)
grads = grad_fn(one)
grad_fn = nnx.grad(second_loss)
grads = grad_fn(other)  # of the second loss
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence

from nnx_migrate.analysis.domain.values import Located
from nnx_migrate.analysis.sites.tree import Tree

#: Statements of which a part may run again, or be left in the middle.
_UNORDERED = (ast.For, ast.AsyncFor, ast.While, ast.Try, ast.TryStar)


def reads_of(
    tree: Tree, assignment: ast.Assign, name: str, loads: Sequence[ast.Name]
) -> list[ast.Name] | None:
    """Those of the places that read a name at which it stands for an assignment.

    Args:
        loads: all that read it.

    Returns:
        None where it cannot be told of each place which assignment it means.
    """
    scope = tree.scope(assignment)
    bindings = tree.project.bindings(scope, name)
    assignments = [
        each
        for each in tree.of_kind(ast.Assign)
        if tree.scope(each) == scope and _binds(each, name)
    ]
    bound_here = all(isinstance(each, Located) and each.scope == scope for each in bindings)
    if not bound_here or len(assignments) != len(bindings):
        return None
    if any(tree.scope(load) != scope for load in loads):
        return None  # a function may run at another time
    meant = {load: last_before(tree, load, assignments) for load in loads}
    if None in meant.values():
        return None
    return [load for load in loads if meant[load] is assignment]


def _binds(assignment: ast.Assign, name: str) -> bool:
    match assignment.targets:
        case [ast.Name(id=bound)]:
            return bound == name
        case _:
            return False


def last_before(tree: Tree, place: ast.AST, bindings: Collection[ast.stmt]) -> ast.stmt | None:
    """The one of some statements of a function that runs last before a place, on every way to it.

    Args:
        place: what stands in the same function.
    """
    statement = tree.statement(place)
    if isinstance(statement, _UNORDERED) and _holds(tree, statement, bindings):
        return None  # what the test of a loop reads
    while True:
        block = tree.block_of(statement)
        for above in reversed(block[: block.index(statement)]):
            if above in bindings:
                return above
            if _holds(tree, above, bindings):
                return None
        around = next(a for a in tree.ancestors(statement) if isinstance(a, ast.stmt | ast.Module))
        if isinstance(around, ast.Module | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            return None
        if isinstance(around, _UNORDERED) and _holds(tree, around, bindings):
            return None
        statement = around


def _holds(tree: Tree, statement: ast.stmt, bindings: Collection[ast.stmt]) -> bool:
    return any(statement in tree.ancestors(each) for each in bindings)
