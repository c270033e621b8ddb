"""Makes each function of a file say what it is given, while the file is compiled.

The first statement of a function becomes a call that gets its parameters. The function stays what
it is to whoever wraps, inspects or traces it, and lines of tracebacks stay as they are.
"""

from __future__ import annotations

import ast
import functools
import json
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, ModuleType

from nnx_migrate.check.cases.touched import put_first
from nnx_migrate.check.recording.rewritten_tests import watch
from nnx_migrate.check.recording.settings import VARIABLE
from nnx_migrate.observe.seen import number_of

# No two underscores in front: they would be mangled in a class.
_SEEN = "_nnx_migrate_seen"
_Function = ast.FunctionDef | ast.AsyncFunctionDef


@functools.cache
def _touched() -> dict[str, str]:
    """The files that are watched: by real path their names from the root."""
    found: dict[str, str] = json.loads(Path(os.environ[VARIABLE]).read_text())["touched"]
    return found


def instrumented_code(path: str) -> CodeType:
    """Compiles a file.

    Args:
        path: as the importing side spells it, for tracebacks.

    Raises:
        OSError: the file cannot be read.
        SyntaxError: it is no Python.
    """
    tree = ast.parse(Path(path).read_bytes(), path)
    return compile(_instrumented(tree, path), path, "exec", dont_inherit=True)


def watch_rewritten_tests(rewriting: ModuleType) -> None:
    """Instruments test files, too.

    Args:
        rewriting: pytest's module that rewrites asserts.
    """
    watch(rewriting, _touched(), _instrumented)


def _instrumented(tree: ast.Module, path: str) -> ast.Module:
    name = _touched()[os.path.realpath(path)]
    functions = list(_functions(tree, ()))
    several = Counter(path for _, path, _ in functions)
    for function, own, in_class in functions:
        parameters = _parameters(function, in_class=in_class)
        if several[own] == 1 and parameters:
            number = number_of(name, own, tuple(parameters))
            put_first(function.body, _call(number, parameters, function))
    imported = ast.ImportFrom("nnx_migrate.observe.seen", [ast.alias("seen", _SEEN)], 0)
    put_first(tree.body, ast.copy_location(imported, ast.Pass(lineno=1, col_offset=0)))
    return ast.fix_missing_locations(tree)


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


def _call(number: int, parameters: list[str], function: _Function) -> ast.Expr:
    values = ast.Tuple([ast.Name(each, ast.Load()) for each in parameters], ast.Load())
    made = ast.Expr(ast.Call(ast.Name(_SEEN, ast.Load()), [ast.Constant(number), values], []))
    for node in ast.walk(made):
        if isinstance(node, ast.expr | ast.stmt):
            ast.copy_location(node, function)
    return made
