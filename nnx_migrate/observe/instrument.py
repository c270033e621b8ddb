"""Makes each function of a file say what it is given, while the file is compiled.

The first statement of a function becomes a call that gets its parameters, what is called as
`model.sow(...)` goes through another one, and another stands in front of what writes an attribute.
The function stays what it is to whoever wraps, inspects or traces it, and lines of tracebacks stay
as they are.
"""

from __future__ import annotations

import ast
import os
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path

from nnx_migrate.check.recording.compiling import plain_settings, put_first
from nnx_migrate.observe.changing import Writing, told_of_changes
from nnx_migrate.observe.seen import may_run, number_of, of_cell
from nnx_migrate.sources.observed_facts import SOWING

# No two underscores in front: they would be mangled in a class.
_SEEN, _SOWS = "_nnx_migrate_seen", "_nnx_migrate_sows"
_CHANGES, _KEYWORDS = "_nnx_migrate_changes", "_nnx_migrate_keywords"
_LOAD = ast.Load()
_FIRST = {"lineno": 1, "col_offset": 0, "end_lineno": 1, "end_col_offset": 0}
_Function = ast.FunctionDef | ast.AsyncFunctionDef


def instrumented(tree: ast.Module, path: str) -> ast.Module:
    """Puts a call first in each function of a file.

    Args:
        tree: of the file; it is changed.
        path: its path.
    """
    name = plain_settings()["touched"][os.path.realpath(path)]
    source = Path(path).read_bytes()
    may_sow = any(f".{method}".encode() in source for method in SOWING)
    return _watched(tree, name, may_sow=may_sow)


def instrumented_cell(tree: ast.Module, notebook: str, file: str) -> ast.Module:
    """Puts a call first in each function of a cell of a notebook.

    Args:
        tree: of the cell; it is changed.
        notebook: its name, from the root.
        file: what the cell is called where it is compiled.
    """
    classes = [each.name for each in tree.body if isinstance(each, ast.ClassDef)]
    of_cell(notebook, file, classes)
    return _watched(tree, notebook, may_sow=True)


def _watched(tree: ast.Module, name: str, *, may_sow: bool) -> ast.Module:
    functions = list(_functions(tree, ()))
    if not functions:
        return tree
    several = Counter(path for _, path, _ in functions)
    for function, own, in_class in functions:
        if several[own] == 1:
            parameters = _parameters(function, in_class=in_class)
            more = [] if function.args.kwarg is None else [function.args.kwarg.arg]
            number = number_of(name, own, (*parameters, *more))
            sows = sorted(_sows(function.body), key=_place) if may_sow else []
            for place, each in enumerate(sows):
                each.func = _noted(number, place, each.func)
            changes = told_of_changes(function, _bound(function), partial(_changing, number))
            may_run(number, sows=len(sows), changes=changes)
            put_first(function.body, _call(number, parameters, function))
    ours = {"seen": _SEEN, "sows": _SOWS, "changes": _CHANGES, "Keywords": _KEYWORDS}
    names_of_ours = [ast.alias(name, alias, **_FIRST) for name, alias in ours.items()]
    imported = ast.ImportFrom("nnx_migrate.observe.seen", names_of_ours, 0, **_FIRST)
    put_first(tree.body, imported)
    return tree


def _functions(
    node: ast.AST, around: tuple[str, ...], in_class: str = ""
) -> Iterator[tuple[_Function, str, bool]]:
    """Every function with its path: as `analysis/symbols/observed.py` names them."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef):
            yield from _functions(child, around, child.name)
        elif isinstance(child, _Function):
            path = (*around, *filter(None, [in_class]), child.name)
            yield child, ".".join(path), bool(in_class)
            yield from _functions(child, path)
        elif isinstance(child, ast.stmt | ast.excepthandler | ast.match_case):
            yield from _functions(child, around, in_class)


def _parameters(function: _Function, *, in_class: bool) -> list[str]:
    """The parameters that are not the object of a method, and not several in one."""
    given = function.args
    names = [each.arg for each in (*given.posonlyargs, *given.args)]
    decorators = {each.id for each in function.decorator_list if isinstance(each, ast.Name)}
    if in_class and "staticmethod" not in decorators:
        names = names[1:]
    return [*names, *(each.arg for each in given.kwonlyargs)]


def _bound(function: _Function) -> frozenset[str]:
    """The parameters that nothing in a function deletes."""
    given = function.args
    names = {each.arg for each in (*given.posonlyargs, *given.args, *given.kwonlyargs)}
    gone = {
        each.id
        for each in ast.walk(function)
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Del)
    }
    return frozenset(names - gone)


def _sows(nodes: Iterable[ast.AST]) -> Iterator[ast.Call]:
    """The calls of `sow` and `perturb` that a function makes itself."""
    for node in nodes:
        if isinstance(node, _Function | ast.Lambda | ast.ClassDef):
            continue
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") in SOWING:
            yield node
        yield from _sows(ast.iter_child_nodes(node))


def _place(node: ast.expr) -> tuple[int, int]:
    return node.lineno, node.col_offset


def _noted(number: int, place: int, method: ast.expr) -> ast.Call:
    at = {name: getattr(method, name) for name in _FIRST}
    told = [ast.Constant(number, **at), ast.Constant(place, **at), method]
    return ast.Call(ast.Name(_SOWS, _LOAD, **at), told, [], **at)


def _changing(number: int, writing: Writing, statement: ast.stmt) -> ast.stmt:
    """What stands in front of a statement that writes an attribute."""
    at = {name: getattr(statement, name) for name in _FIRST}
    owner = ast.Name(writing.owner, _LOAD, **at) if writing.owner else ast.Constant(None, **at)
    plain = (number, writing.place, writing.how, writing.name)
    told: list[ast.expr] = [owner, *(ast.Constant(each, **at) for each in plain)]
    return ast.Expr(ast.Call(ast.Name(_CHANGES, _LOAD, **at), told, [], **at), **at)


def _call(number: int, parameters: list[str], function: _Function) -> ast.Expr:
    # To set them alone is much faster than to look through the file for what lacks them.
    at = {name: getattr(function, name) for name in _FIRST}
    elements: list[ast.expr] = [ast.Name(each, _LOAD, **at) for each in parameters]
    if function.args.kwarg is not None:
        more = ast.Name(function.args.kwarg.arg, _LOAD, **at)
        elements.append(ast.Call(ast.Name(_KEYWORDS, _LOAD, **at), [more], [], **at))
    values = ast.Tuple(elements, _LOAD, **at)
    told = [ast.Constant(number, **at), values]
    return ast.Expr(ast.Call(ast.Name(_SEEN, _LOAD, **at), told, [], **at), **at)
