"""Puts a boundary around the touched functions of a file while it is compiled."""

from __future__ import annotations

import ast
import os
from collections.abc import Sequence

from nnx_migrate.check.cases.touched import Touched, assigned_name
from nnx_migrate.check.recording.compiling import cell_defines, put_first
from nnx_migrate.check.recording.settings import read_settings

# No two underscores in front: they would be mangled in a class.
_BOUNDARY = "_nnx_migrate_boundary"


def instrumented(tree: ast.Module, path: str) -> ast.Module:
    """Puts the boundaries into a touched file.

    Args:
        tree: of the file; it is changed.
        path: its path.
    """
    touched = read_settings().touched[os.path.realpath(path)]
    _mark(tree.body, "", touched)
    _import_boundary(tree)
    return ast.fix_missing_locations(tree)


def instrumented_cell(tree: ast.Module, twin: str, _file: str) -> ast.Module:
    """Puts the boundaries into a cell of a notebook.

    Args:
        tree: of the cell; it is changed.
        twin: the module of the notebook's code, relative to the tree that is recorded.
    """
    settings = read_settings()
    touched = settings.touched[os.path.realpath(settings.root / twin)]
    cell_defines(tree, twin)
    _mark(tree.body, "", touched)
    if any(isinstance(each, ast.Name) and each.id == _BOUNDARY for each in ast.walk(tree)):
        _import_boundary(tree)
    return ast.fix_missing_locations(tree)


def _import_boundary(tree: ast.Module) -> None:
    boundary = ast.ImportFrom(
        "nnx_migrate.check.recording.boundary", [ast.alias("boundary", _BOUNDARY)], 0
    )
    put_first(tree.body, ast.copy_location(boundary, ast.Pass(lineno=1, col_offset=0)))


def _mark(body: Sequence[ast.AST], scope: str, touched: Touched) -> None:
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            name = scope + node.name
            if name in touched.called:
                outermost = node.decorator_list[0] if node.decorator_list else node
                made = _boundary_of(touched.path, name)
                node.decorator_list.insert(0, _at(made, outermost))
        elif isinstance(node, ast.ClassDef):
            _mark(node.body, f"{scope}{node.name}.", touched)
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            if not scope and node.value and (name := assigned_name(node)) in touched.values:
                made = _boundary_of(touched.path, name)
                node.value = _at(ast.Call(made, [node.value], []), node.value)
        elif isinstance(node, (ast.stmt, ast.excepthandler, ast.match_case)):
            _mark(list(ast.iter_child_nodes(node)), scope, touched)


def _boundary_of(path: str, name: str) -> ast.Call:
    return ast.Call(ast.Name(_BOUNDARY, ast.Load()), [ast.Constant(path), ast.Constant(name)], [])


def _at(made: ast.expr, place: ast.AST) -> ast.expr:
    """New code at the place of old: line numbers of tracebacks stay as they are."""
    for node in ast.walk(made):
        if isinstance(node, ast.expr) and not hasattr(node, "lineno"):
            ast.copy_location(node, place)
    return made
