"""Whether a name, or an attribute, may mean something else where it is read later.

    for k in (1, 2):
        losses.append(nnx.grad(scaled(k)))  # k is read here, and not where the result is called

This is another question than which binding reaches a place (`symbols/reaching_definitions.py`): the
same binding reaches both, and has run again in between.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence, Set

from nnx_migrate.analysis.sites.tree import AnyFunction, Tree
from nnx_migrate.sources.bound_names import binds

_CONSTRUCTORS = frozenset({"__init__", "__post_init__"})
_LOOPS = (ast.For, ast.AsyncFor, ast.While)


def bound_later(tree: Tree, made: ast.expr, names: Set[str], uses: Sequence[ast.AST] | None) -> str:
    """One of some names that may stand for something else where it is read later; "" if none does.

    Args:
        made: what reads them now.
        uses: where they would be read; None where that may be anywhere.
    """
    here = tree.function_around(made)
    if uses is not None and any(tree.function_around(use) is not here for use in uses):
        uses = None  # a function may run at another time
    return next((name for name in sorted(names) if _is_bound_later(tree, made, name, uses)), "")


def _is_bound_later(tree: Tree, made: ast.expr, name: str, uses: Sequence[ast.AST] | None) -> bool:
    here = owner = tree.function_around(made)
    while owner is not None and not _is_parameter(owner, name) and not _binders(tree, owner, name):
        owner = tree.function_around(owner)
    binders = _binders(tree, owner, name)
    if all(isinstance(each, ast.Import | ast.ImportFrom) for each in binders):
        return False
    if any(isinstance(each, ast.Global | ast.Nonlocal) for each in binders):
        return True
    if owner is not here:  # what stands around it may go on in the meantime
        often = len(binders) + (owner is not None and _is_parameter(owner, name)) > 1
        return often or any(any(_loops(tree, each)) for each in binders)
    around = {*_loops(tree, made)}
    own = tree.statement(made)
    for binder in binders:
        if own is binder or own in tree.ancestors(binder):
            return True
        loops = {*_loops(tree, binder)}
        if uses is None:
            if _start(binder) > _start(made) or loops & around:
                return True
            continue
        for use in uses:
            again = loops & {*_loops(tree, use)}
            if _start(made) < _start(binder) < _start(use):
                return True
            if again - around or (again and _start(use) < _start(made)):
                return True
    return False


def stored_later(tree: Tree, made: ast.expr, names: Set[str]) -> str:
    """One of some attributes that code may set anew after it was read; "" if none does.

    Constructors set those of new objects, but for the one that reads it.
    """
    here = tree.function_around(made)
    for node in tree.of_kind(ast.Attribute):
        if node.attr not in names or isinstance(node.ctx, ast.Load):
            continue
        around = tree.function_around(node)
        if around is here and _start(node) < _start(made) and not made_anew(tree, made, None):
            continue
        constructs = isinstance(around, ast.FunctionDef) and around.name in _CONSTRUCTORS
        if around is here or not constructs:
            return node.attr
    return ""


def made_anew(tree: Tree, made: ast.expr, uses: Sequence[ast.AST] | None) -> bool:
    """Whether a loop may make the next one of something before it is used.

    Args:
        uses: where it is used; None where that may be anywhere.
    """
    around = {*_loops(tree, made)}
    if not around:
        return False
    here = tree.function_around(made)
    return uses is None or not all(
        tree.function_around(use) is here
        and around <= {*_loops(tree, use)}
        and _start(made) < _start(use)
        for use in uses
    )


def _start(node: ast.AST) -> tuple[int, int]:
    return getattr(node, "lineno", 0), getattr(node, "col_offset", 0)


def _loops(tree: Tree, node: ast.AST) -> Iterator[ast.AST]:
    """The loops of its function that something stands in."""
    for around in tree.ancestors(node):
        if isinstance(around, AnyFunction):
            return
        if isinstance(around, _LOOPS):
            yield around


def _is_parameter(function: AnyFunction, name: str) -> bool:
    return any(isinstance(n, ast.arg) and n.arg == name for n in ast.walk(function.args))


def _binders(tree: Tree, owner: AnyFunction | None, name: str) -> list[ast.AST]:
    """What binds a name of a function, or of the module, and functions in it that may."""
    declaring = ast.Global if owner is None else ast.Nonlocal
    return [
        node
        for node in tree.nodes
        if binds(node, {name})
        and (
            isinstance(node, declaring)
            or (
                not isinstance(node, ast.Global | ast.Nonlocal)
                and tree.function_around(node) is owner
            )
        )
    ]
