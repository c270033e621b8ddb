"""Compiles the files that are watched, with the statements that a recorder puts into them.

The hook in each process of a watched command calls this. The settings that `VARIABLE` leads to name
the recorder: a module whose `instrumented(tree, path)` changes the tree of a file. Little is
imported here, because every such process waits for it.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import importlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

#: Leads to the settings of a recorder, a JSON file.
VARIABLE = "NNX_MIGRATE_RECORDING"
#: The end of the name of a module that has the code of a notebook's cells.
TWIN = "_cells_of_notebook.py"
#: The folder that comes first on PYTHONPATH.
HOOK = Path(__file__).with_name("hook")


@functools.cache
def plain_settings() -> dict[str, Any]:
    """The settings of this process as they were written."""
    found: dict[str, Any] = json.loads(Path(os.environ[VARIABLE]).read_text())
    return found


def instrumented_code(path: str) -> CodeType:
    """Compiles a watched file.

    Args:
        path: as the importing side spells it, for tracebacks.

    Raises:
        OSError: the file cannot be read.
        SyntaxError: it is no Python.
    """
    tree = ast.parse(Path(path).read_bytes(), path)
    return compile(_instrumented()(tree, path), path, "exec", dont_inherit=True)


def watch_rewritten_tests(rewriting: ModuleType) -> None:
    """Watches test files, too: pytest compiles them by itself, so no import hook sees them.

    Args:
        rewriting: pytest's module that rewrites asserts.
    """
    hook: Any = getattr(rewriting, "AssertionRewritingHook", None)
    rewrite_asserts: Any = getattr(rewriting, "rewrite_asserts", None)
    plain = getattr(hook, "exec_module", None)
    if plain is None or rewrite_asserts is None:
        return

    def exec_module(self: Any, module: ModuleType) -> None:
        path = str(module.__spec__.origin) if module.__spec__ else ""
        if os.path.realpath(path) not in plain_settings()["touched"]:
            plain(self, module)
            return
        source = Path(path).read_bytes()
        self._rewritten_names[module.__name__] = Path(path)
        tree = _instrumented()(ast.parse(source, path), path)
        rewrite_asserts(tree, source, path, self.config)
        code = compile(tree, path, "exec", dont_inherit=True)
        exec(code, module.__dict__)  # nosec B102  # what the import would have run

    hook.exec_module = exec_module


def watch_cells(compilerop: ModuleType) -> None:
    """Watches cells of notebooks: IPython compiles them one by one, and they are of no file.

    Args:
        compilerop: IPython's module that compiles them.
    """
    notebooks: dict[str, str] = plain_settings().get("cells", {})
    compiler: Any = getattr(compilerop, "CachingCompiler", None)
    plain_cache = getattr(compiler, "cache", None)
    plain_parse = getattr(compiler, "ast_parse", None)
    if not notebooks or plain_cache is None or plain_parse is None:
        return
    files: dict[str, str] = {}

    def cache(
        self: Any, transformed_code: str, number: int = 0, raw_code: str | None = None
    ) -> str:
        file: str = plain_cache(self, transformed_code, number, raw_code)
        notebook = notebooks.get(cell_digest(raw_code or transformed_code))
        if notebook is not None:
            files[file] = notebook
        return file

    def ast_parse(self: Any, source: str, filename: str = "<unknown>", *given: Any) -> Any:
        tree = plain_parse(self, source, filename, *given)
        if filename in files:
            _recorder().instrumented_cell(tree, files[filename], filename)
        return tree

    compiler.cache, compiler.ast_parse = cache, ast_parse


#: The twins of notebooks by the names that their cells define.
_twins: dict[str, str] = {}


def cell_defines(cell: ast.Module, twin: str) -> None:
    """Takes note of what a cell defines.

    Args:
        cell: it.
        twin: the module that has the code of its notebook.
    """
    for each in cell.body:
        if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            _twins[each.name] = twin


def twin_with(module: str, name: str) -> str:
    """The twin that has what a cell defined; "" where it is nothing of a cell.

    Args:
        module: the name of the module that it is in.
        name: its qualified name.
    """
    return _twins.get(name.partition(".")[0], "") if module == "__main__" else ""


def cell_digest(code: str) -> str:
    """What a cell is known by.

    Args:
        code: as it stands in the notebook.
    """
    return hashlib.sha256(code.strip().encode(errors="surrogatepass")).hexdigest()


def put_first(body: list[ast.stmt], statement: ast.stmt) -> None:
    """Puts a statement first in a body, behind what has to come before it.

    Args:
        body: of a file or a function.
        statement: it.
    """
    at = next((number for number, each in enumerate(body) if not comes_first(each)), len(body))
    body.insert(at, statement)


def comes_first(statement: ast.stmt) -> bool:
    """Whether nothing may come before a statement: a docstring, an import of what is to come.

    Args:
        statement: of the beginning of a body.
    """
    if isinstance(statement, ast.ImportFrom):
        return statement.module == "__future__"
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


@functools.cache
def _recorder() -> Any:
    return importlib.import_module(plain_settings()["instrument"])


def _instrumented() -> Callable[[ast.Module, str], ast.Module]:
    found: Callable[[ast.Module, str], ast.Module] = _recorder().instrumented
    return found
