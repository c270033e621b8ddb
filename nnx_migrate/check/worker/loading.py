"""Files of the user imported into a worker, and forgotten again."""

from __future__ import annotations
import __future__

import ast
import contextlib
import functools
import importlib
import importlib.util
import itertools
import os
import sys
from pathlib import Path
from types import ModuleType

from nnx_migrate.check.jobs import Side

#: What `from __future__ import ...` means for the statements behind it.
_FUTURE = sum(getattr(__future__, name).compiler_flag for name in __future__.all_feature_names)
_serial = itertools.count()


def load_file(path: Path) -> ModuleType:
    """Runs a file as a module of its own.

    Args:
        path: a file, or a folder with main.py, which becomes an import root.

    Raises:
        FileNotFoundError: there is no such file.
        Exception: whatever the file raises.
    """
    file = path / "main.py" if path.is_dir() else path
    if not file.is_file():
        raise FileNotFoundError(file)
    name = f"{path.stem}_{next(_serial)}"
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise ImportError(f"cannot import {file}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    if path.is_dir() and str(path) not in sys.path:
        sys.path.insert(0, str(path))
    importlib.invalidate_caches()
    spec.loader.exec_module(module)
    return module


def load_cells(file: Path) -> ModuleType:
    """Runs the code of a notebook's cells, as far as it runs.

    Calls of its functions are made again one by one: a statement that fails because one of them is
    wrong must not keep the others from that.

    Args:
        file: a module of that code.

    Raises:
        OSError: it cannot be read.
        SyntaxError: it is no Python.
    """
    module = ModuleType(f"{file.stem}_{next(_serial)}")
    module.__file__ = str(file)
    sys.modules[module.__name__] = module
    flags = 0
    for statement in ast.parse(file.read_bytes(), str(file)).body:
        part = ast.Module([statement], [])
        code = compile(part, str(file), "exec", flags, dont_inherit=True)
        flags |= code.co_flags & _FUTURE
        with contextlib.suppress(Exception, SystemExit):
            exec(code, module.__dict__)  # nosec B102  # `check` runs the user's code, and says so
    return module


def load_in_tree(side: Side, path: str) -> ModuleType:
    """Imports a file of the user's project by the name that the project knows it by.

    Args:
        side: the tree that it lies in.
        path: of the file, relative to the tree.

    Raises:
        ImportError: another file answers to that name.
        Exception: whatever the file raises.
    """
    file = side.root / path if side.root.is_dir() else side.root
    name = module_name(side, path)
    if name is None:
        return load_file(file)
    module = importlib.import_module(name)
    origin = getattr(module, "__file__", None) or ""
    if Path(origin).resolve() != file.resolve():
        raise ImportError(f"{name} is {origin or 'not a file'}, not {path} of the {side.name} tree")
    return module


def module_name(side: Side, path: str) -> str | None:
    """The dotted name of a file, from the innermost import root that it lies in.

    Args:
        side: its tree.
        path: relative to the tree.

    Returns:
        None for a single program, and for a path that is no dotted name.
    """
    if not side.root.is_dir():
        return None
    file = side.root / path
    roots = [root for root in side.import_roots if file.is_relative_to(root)]
    if not roots:
        return None
    innermost = max(roots, key=lambda root: len(root.parts))
    parts = list(file.relative_to(innermost).with_suffix("").parts)
    if parts[-1] == "__init__":
        parts.pop()
    return ".".join(parts) if parts and all(part.isidentifier() for part in parts) else None


def forget(side: Side) -> None:
    """Forgets every module of a tree, so that the next import runs it afresh.

    Args:
        side: the tree; the folder of a single program stops being an import root as well.
    """
    root = side.root
    for name in project_files(root):
        del sys.modules[name]
    if root not in side.import_roots and str(root) in sys.path:
        sys.path.remove(str(root))


def project_files(root: Path) -> dict[str, str]:
    """The files of a tree that are imported now.

    Args:
        root: the tree.

    Returns:
        Module name -> path relative to the tree.
    """
    inside = str(root).rstrip(os.sep) + os.sep
    found = {}
    for name, module in list(sys.modules.items()):
        origin = _normal(getattr(module, "__file__", None) or "")
        if origin == str(root) or origin.startswith(inside):
            found[name] = Path(origin).relative_to(root).as_posix()
    return found


@functools.cache
def _normal(origin: str) -> str:
    """A path as `Path` spells it: to make one of every module each time outlasts a small case."""
    return str(Path(origin)) if origin else ""
