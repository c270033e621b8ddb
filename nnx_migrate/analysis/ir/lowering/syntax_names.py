"""The names and keys of nodes of a syntax tree."""

from __future__ import annotations

import ast
from collections.abc import Mapping


def dotted_path(node: ast.AST | None) -> str:
    """ "a.b.c" for a name or attributes of one, "" for anything else."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and (head := dotted_path(node.value)):
        return f"{head}.{node.attr}"
    return ""


def callee(node: ast.Call) -> str:
    """The last name of what a call calls; "" for none."""
    match node.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""


def function_key(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> str:
    """The key of a function: its name and place, so that equal names do not meet."""
    name = "<lambda>" if isinstance(node, ast.Lambda) else node.name
    return f"{name}:{node.lineno}:{node.col_offset}"


def is_called(function: ast.expr, parents: Mapping[ast.AST, ast.AST]) -> bool:
    """Whether a call runs what an expression gives, or what a test chooses beside it."""
    parent = parents[function]
    while isinstance(parent, ast.IfExp) and function is not parent.test:
        function, parent = parent, parents[parent]
    return isinstance(parent, ast.Call) and parent.func is function
