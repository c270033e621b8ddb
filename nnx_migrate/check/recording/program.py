"""Runs a touched script as `python SCRIPT ARGUMENTS` would."""

from __future__ import annotations

import importlib
import os
import sys
from importlib.machinery import SourceFileLoader
from types import ModuleType


def run_script() -> None:
    """Runs the script that the first argument names, as `__main__`."""
    sys.argv = sys.argv[1:]
    script = sys.argv[0]
    if not sys.flags.safe_path:
        sys.path[0] = os.path.dirname(os.path.realpath(script))
    compiling = importlib.import_module("nnx_migrate.check.recording.compiling")
    module = ModuleType("__main__")
    loader = SourceFileLoader("__main__", script)
    module.__dict__.update(__file__=script, __loader__=loader, __builtins__=__builtins__)
    module.__dict__["__cached__"] = None
    sys.modules["__main__"] = module
    exec(compiling.instrumented_code(script), module.__dict__)  # nosec B102  # the command that was given


if __name__ == "__main__":
    run_script()
