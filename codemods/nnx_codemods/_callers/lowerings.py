"""Places that trace a jitted function and do not run it: `step.lower(model, x).compile()`.

What the function does to its arguments then stays in the trace, in both modes, as long as nobody
calls what is compiled.
"""

from __future__ import annotations

import ast

from nnx_migrate.analysis.domain.values import Scope
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.ownership import is_of_file

#: Methods of what is lowered, and what is compiled, that give another one of these.
_GOING_ON = frozenset({"lower", "compile"})
#: Those that tell something of the program.
_TELLING = frozenset({"as_text", "cost_analysis", "memory_analysis"})


def lowerings(context: FileContext, scope: Scope, name: str) -> frozenset[ast.Name]:
    """The places that read a name to lower the jitted function that it stands for, and no more.

    Args:
        scope: that binds it.
    """
    return frozenset(
        load
        for load in context.finder.loads(scope, name)
        if isinstance(called := _called(context, load), ast.Call)
        and ast.unparse(called.func) == f"{name}.lower"
        and _is_looked_at(context, called)
    )


def _called(context: FileContext, node: ast.AST) -> ast.AST | None:
    """The call of a method of what a node gives; None of anything else."""
    method = context.tree.parents[node]
    if not isinstance(method, ast.Attribute) or method.attr not in _GOING_ON | _TELLING:
        return None
    call = context.tree.parents[method]
    return call if isinstance(call, ast.Call) and call.func is method else None


def _is_looked_at(context: FileContext, made: ast.AST) -> bool:
    """Whether nothing is asked of what is lowered, or compiled, but about its program."""
    parent = context.tree.parents[made]
    match parent:
        case ast.Expr():
            return True
        case ast.Assign(targets=[ast.Name(id=name)]):
            scope = context.tree.scope(parent)
            bound = context.project.bindings(scope, name)
            loads = context.finder.loads(scope, name)
            alone = len(bound) == 1 and is_of_file(context, scope, name)
            return alone and all(_is_looked_at_here(context, each) for each in loads)
        case _:
            return _is_looked_at_here(context, made)


def _is_looked_at_here(context: FileContext, made: ast.AST) -> bool:
    called = _called(context, made)
    if not isinstance(called, ast.Call):
        return False
    assert isinstance(called.func, ast.Attribute)
    return called.func.attr in _TELLING or _is_looked_at(context, called)
