"""Which names a piece of syntax binds: one list of the ways in which Python does it."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Set

#: What `from x import *` binds: nobody can tell.
ANY_NAME = "*"


def bound_names(node: ast.AST) -> Iterator[str]:
    """The names that a node itself binds, deletes or declares, those of nodes in it left out.

    Parameters are left out too: they are names of another scope than the function that has them.

    Returns:
        `ANY_NAME` among them where a star import binds whatever its module has.
    """
    match node:
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
            yield name
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
            yield from ((each.asname or each.name).partition(".")[0] for each in aliases)
        case ast.Global(names=names) | ast.Nonlocal(names=names):
            yield from names
        case (
            ast.ExceptHandler(name=str(name))
            | ast.MatchAs(name=str(name))
            | ast.MatchStar(name=str(name))
            | ast.MatchMapping(rest=str(name))
        ):
            yield name


def binds(node: ast.AST, names: Set[str]) -> bool:
    """Whether a node itself binds, deletes or declares one of some names, or may."""
    return any(name in names or name == ANY_NAME for name in bound_names(node))


def are_bound_in(nodes: Iterable[ast.AST], names: Set[str]) -> bool:
    """Whether one of some nodes binds one of some names, as a parameter or otherwise."""
    return any(
        node.arg in names if isinstance(node, ast.arg) else binds(node, names) for node in nodes
    )


def inside(function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> Iterator[ast.AST]:
    """The nodes of a function but for itself and its own parameters."""
    args = function.args
    named = [*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg]
    own = {function, *(each for each in named if each is not None)}
    return (node for node in ast.walk(function) if node not in own)
