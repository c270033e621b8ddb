"""Parameters that are called in one branch, and are a number in the other: `a() if tuned else a`.

A function that so takes a Module or a number gives back the number alone. If a Module came back,
tree mode would raise.
"""

from __future__ import annotations

import ast

from nnx_migrate.analysis.callgraph.binding import parameter_at
from nnx_migrate.analysis.domain.values import FunctionValue, Scope
from nnx_migrate.analysis.ir.lowering.syntax_names import dotted_path
from nnx_migrate.analysis.sites.tree import FunctionNode
from nnx_migrate.rewrite.model.context import FileContext

#: What annotations call a number.
_NUMBERS = frozenset({"Array", "ArrayLike", "float", "int", "ndarray"})


def gives_number(context: FileContext, scope: Scope, name: str) -> bool:
    """Whether a function uses a parameter as it is only where it calls it in the other branch."""
    definition = context.tree.functions.get(scope.function)
    if scope.module != context.tree.module or not isinstance(definition, FunctionNode):
        return False
    if not _may_be_number(definition, name):
        return False
    uses = [node for node in ast.walk(definition) if isinstance(node, ast.Name) and node.id == name]
    chosen = [node for node in uses if _is_chosen(context, node)]
    return bool(chosen) and all(
        context.tree.function_around(node) is definition and _stays(context, node)
        for node in uses
        if node not in chosen
    )


def _may_be_number(definition: FunctionNode, name: str) -> bool:
    """Whether its annotation allows a number, too."""
    args = definition.args
    given = next((a for a in [*args.args, *args.kwonlyargs] if a.arg == name), None)
    if given is None or given.annotation is None:
        return False
    named = (dotted_path(node) for node in ast.walk(given.annotation) if isinstance(node, ast.expr))
    return any(each.rpartition(".")[2] in _NUMBERS for each in named)


def _is_chosen(context: FileContext, node: ast.Name) -> bool:
    """Whether it stands for itself where another branch calls it for the same name."""
    parent = context.tree.parents[node]
    match parent:
        case ast.IfExp(body=one, orelse=other) if node in (one, other):
            return _calls(other if node is one else one, node.id)
        case ast.Assign(targets=[ast.Name(id=target)], value=value) if value is node:
            branch = context.tree.parents[parent]
            if not isinstance(branch, ast.If):
                return False
            for statement in branch.orelse if parent in branch.body else branch.body:
                match statement:
                    case ast.Assign(targets=[ast.Name(id=same)], value=called) if same == target:
                        return _calls(called, node.id)
    return False


def _calls(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name


def _stays(context: FileContext, node: ast.Name) -> bool:
    """Whether nothing but a number comes from a use: it is called, or passed to what keeps it."""
    call = context.tree.parents[node]
    if not isinstance(call, ast.Call):
        return False
    if call.func is node:
        return True
    if any(isinstance(each, ast.Starred) for each in call.args):
        return False
    values = context.values(call.func)
    passed = context.analysis.sharing.passed
    for value in values:
        if not isinstance(value, FunctionValue) or value.transforms:
            return False
        function = context.project.function(value.scope)
        parameter = parameter_at(function, value, call.args.index(node))
        if parameter is None or passed.gives_back(value.scope, parameter.name, True):
            return False
    return bool(values)
