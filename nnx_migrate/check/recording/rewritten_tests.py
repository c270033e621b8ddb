"""Test files: pytest compiles them by itself, to rewrite their asserts, so no import hook does."""

from __future__ import annotations

import ast
import os
from collections.abc import Callable, Container
from pathlib import Path
from types import ModuleType
from typing import Any


def watch(
    rewriting: ModuleType,
    touched: Container[str],
    instrumented: Callable[[ast.Module, str], ast.Module],
) -> None:
    """Instruments test files, too.

    Args:
        rewriting: pytest's module that rewrites asserts.
        touched: the real paths of the files that are instrumented.
        instrumented: changes the tree of a file, by its path.
    """
    hook: Any = getattr(rewriting, "AssertionRewritingHook", None)
    rewrite_asserts: Any = getattr(rewriting, "rewrite_asserts", None)
    plain = getattr(hook, "exec_module", None)
    if plain is None or rewrite_asserts is None:
        return

    def exec_module(self: Any, module: ModuleType) -> None:
        path = str(module.__spec__.origin) if module.__spec__ else ""
        if os.path.realpath(path) not in touched:
            plain(self, module)
            return
        source = Path(path).read_bytes()
        self._rewritten_names[module.__name__] = Path(path)
        tree = instrumented(ast.parse(source, path), path)
        rewrite_asserts(tree, source, path, self.config)
        code = compile(tree, path, "exec", dont_inherit=True)
        exec(code, module.__dict__)  # nosec B102  # what the import would have run

    hook.exec_module = exec_module
