"""The first module of ours in every Python process of a recorded command.

It lies alone in its folder, which comes first on PYTHONPATH, and imports nothing of ours until a
touched file is loaded: most processes and most files have nothing to do with the recording.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import sys
from importlib.machinery import PathFinder, SourceFileLoader
from types import CodeType, ModuleType
from typing import Any

_OURS = frozenset({"nnx_migrate", "cloudpickle"})
_HERE = os.path.dirname(os.path.abspath(__file__))
_PYTEST_REWRITING = "_pytest.assertion.rewrite"
_IPYTHON_COMPILING = "IPython.core.compilerop"


class _Ours:
    """Finds this package, and what it needs, in a folder that is on no path.

    What else lies there would come before folders of the program without `__init__.py`: `tests`.
    """

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def find_spec(self, name: str, path: object = None, target: object = None) -> Any:
        return PathFinder.find_spec(name, [self._folder]) if name in _OURS else None


def _install(settings: dict[str, Any]) -> None:
    if importlib.util.find_spec("nnx_migrate") is None:
        finder: Any = _Ours(settings["package"])
        sys.meta_path.append(finder)
    touched = settings["touched"]
    names = {os.path.basename(path) for path in touched}
    plain_code, plain_exec = SourceFileLoader.get_code, SourceFileLoader.exec_module

    def get_code(self: SourceFileLoader, fullname: str) -> CodeType | None:
        path = str(self.path)
        if os.path.basename(path) in names and os.path.realpath(path) in touched:
            code: CodeType = _compiling().instrumented_code(path)
            return code
        return plain_code(self, fullname)

    def exec_module(self: SourceFileLoader, module: ModuleType) -> None:
        plain_exec(self, module)
        if module.__name__ == _PYTEST_REWRITING:
            _compiling().watch_rewritten_tests(module)
        elif module.__name__ == _IPYTHON_COMPILING:
            _compiling().watch_cells(module)

    loader: Any = SourceFileLoader
    loader.get_code, loader.exec_module = get_code, exec_module
    if os.path.basename(sys.argv[0]) in names and os.path.realpath(sys.argv[0]) in touched:
        _run_script_ourselves()


def _run_script_ourselves() -> None:
    # The interpreter compiles its main script by itself: no import hook sees it.
    options = sys.orig_argv[1 : len(sys.orig_argv) - len(sys.argv)]
    program = os.path.join(os.path.dirname(_HERE), "program.py")
    os.execv(sys.executable, [sys.executable, *options, program, *sys.argv])


def _compiling() -> Any:
    return importlib.import_module("nnx_migrate.check.recording.compiling")


def _import_next() -> None:
    """Imports the sitecustomize that would have been imported without us."""
    ours = sys.modules.pop("sitecustomize", None)
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry) != _HERE]
    try:
        importlib.import_module("sitecustomize")
    except ImportError as error:
        if error.name != "sitecustomize":
            raise
    finally:
        if ours is not None:
            sys.modules.setdefault("sitecustomize", ours)


_import_next()
if "NNX_MIGRATE_RECORDING" in os.environ:
    with open(os.environ["NNX_MIGRATE_RECORDING"], encoding="utf-8") as _file:
        _install(json.load(_file))
