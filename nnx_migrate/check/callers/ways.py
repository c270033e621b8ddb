"""Whether a part of the code is come to whenever the code around it runs."""

from __future__ import annotations

import ast

_LEAVES = (ast.Return, ast.Raise, ast.Continue, ast.Break)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_CATCHING = frozenset({"suppress", "raises"})


def is_certain(around: ast.AST, node: ast.AST) -> bool:
    """Whether nothing but the start of a block decides.

    Args:
        around: what is directly around the node; branches of `if` and `match` have starts of
            their own.
        node: any.
    """
    match around:
        case ast.IfExp():
            return node is around.test
        case ast.BoolOp():
            return node is around.values[0]
        case ast.Assert():
            return node is around.test
        case ast.Lambda() | ast.ExceptHandler():
            return False
        case ast.comprehension():
            return node is around.iter
        case _ if isinstance(around, _COMPREHENSIONS):
            return node is around.generators[0] and not isinstance(around, ast.GeneratorExp)
        case ast.For() if node in around.body and not _is_filled(around.iter):
            return False
        case ast.AsyncFor() | ast.While() if node in around.body:
            return False
        case _ if isinstance(around, _LOOPS) and node in around.orelse:
            return False
        case ast.Try() | ast.TryStar() if node in around.orelse:
            return False
    return not any(_may_leave(each) for each in _before(around, node))


def is_caught(around: ast.AST, node: ast.AST) -> bool:
    """Whether an exception of a node may end in what is around it.

    Args:
        around: what is directly around the node.
        node: any.
    """
    if isinstance(around, (ast.Try, ast.TryStar)):
        return bool(around.handlers) and node in around.body
    if isinstance(around, (ast.With, ast.AsyncWith)) and node in around.body:
        calls = (item.context_expr for item in around.items)
        return any(_name(call) in _CATCHING for call in calls)
    return False


def _is_filled(iterated: ast.expr) -> bool:
    """Whether a loop over it has a first round, by what is written."""
    if isinstance(iterated, (ast.Tuple, ast.List)):
        return any(not isinstance(each, ast.Starred) for each in iterated.elts)
    match iterated:
        case ast.Call(func=ast.Name("range"), args=[ast.Constant(int(count))], keywords=[]):
            return count > 0
    return False


def _before(around: ast.AST, node: ast.AST) -> list[ast.stmt]:
    """The statements of the same block that come before a statement."""
    for name in ("body", "orelse", "finalbody"):
        block = getattr(around, name, None)
        if isinstance(block, list) and node in block:
            return block[: block.index(node)]
    return []


def _may_leave(node: ast.AST) -> bool:
    if isinstance(node, _LEAVES):
        return True
    if isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
        return False
    return any(_may_leave(each) for each in ast.iter_child_nodes(node))


def _name(call: ast.expr) -> str:
    function = call.func if isinstance(call, ast.Call) else call
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
