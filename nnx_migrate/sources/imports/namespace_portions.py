"""Folders without `__init__.py` inside a package: part of it, or a folder of scripts.

`pkg/models/lam.py` is `pkg.models.lam` to all who import it, whether `pkg/models` holds an
`__init__.py` or not (PEP 420). `pkg/scripts/train.py`, which says `import helper` for the file
beside it, is run where it lies, and what is in its folder has names of its own.
"""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Collection
from pathlib import Path

from nnx_migrate.sources.imports.scan import imported_modules
from nnx_migrate.sources.walk.scanning import read_file

_PROJECT_MARKS = (".git", ".hg", "pyproject.toml", "setup.py", "setup.cfg")
#: Of a larger file nothing is learned.
_MOST = 2 * 1024 * 1024
#: Libraries that projects of this field have. A file `jax.py` is seldom what `import jax` means.
LIBRARIES = frozenset(
    {
        "IPython",
        "PIL",
        "absl",
        "chex",
        "einops",
        "equinox",
        "flax",
        "grain",
        "gymnasium",
        "haiku",
        "jax",
        "keras",
        "matplotlib",
        "mpl_toolkits",
        "numpy",
        "optax",
        "orbax",
        "pandas",
        "scipy",
        "sklearn",
        "tensorflow",
        "torch",
        "tqdm",
        "typing_extensions",
        "wandb",
    }
)
STANDARD = sys.stdlib_module_names
_ELSEWHERE = STANDARD | LIBRARIES


def package_around(folder: Path, roots: Collection[Path] = ()) -> Path | None:
    """Return the package that a folder without `__init__.py` is part of.

    Args:
        folder: the folder.
        roots: folders known to be on the import path.

    Returns:
        The nearest folder above that holds an `__init__.py`; None where there is none in the
        project, where a folder on the way has no name that can be imported, and for scripts.
    """
    passed = [folder]
    while not os.path.isfile(passed[-1].parent / "__init__.py"):
        if passed[-1] == passed[-1].parent or not passed[-1].name.isidentifier():
            return None
        passed.append(passed[-1].parent)
    if any(not each.name.isidentifier() or each in roots or is_project(each) for each in passed):
        return None
    return None if any(map(_is_of_scripts, passed)) else passed[-1].parent


def is_project(folder: Path) -> bool:
    """Whether a project starts at a folder, as a setup file or a repository in it says."""
    return any(os.path.exists(folder / mark) for mark in _PROJECT_MARKS)


def _is_of_scripts(folder: Path) -> bool:
    try:
        with os.scandir(folder) as found:
            files = [each for each in found if each.name.endswith((".py", ".ipynb"))]
        states = ((each.name, each.stat()) for each in files)
        held = frozenset((name, of.st_mtime_ns, of.st_size) for name, of in states)
    except OSError:
        return False
    return _imports_beside(str(folder), held)


# What it says hangs on its arguments alone, so a folder whose files change is looked at anew; it is
# asked for by each of the files, from wherever a name is needed.
@functools.lru_cache(maxsize=4096)
def _imports_beside(folder: str, held: frozenset[tuple[str, int, int]]) -> bool:
    """Whether a file in a folder imports one that lies beside it by its bare name.

    Args:
        folder: the folder.
        held: the files in it, with the time of their last change and their size.
    """
    names = [name for name, _, _ in held]
    beside = {name.removesuffix(".py") for name in names if name.endswith(".py")} - _ELSEWHERE
    return any(
        not beside.isdisjoint(name.partition(".")[0] for name in _imported(folder, each))
        for each in names
    )


def _imported(folder: str, name: str) -> set[str]:
    try:
        data = read_file(os.path.join(folder, name), _MOST)
    except OSError:
        return set()
    if name.endswith(".ipynb"):
        data = lines_of_strings(data)
    return {module for dots, module in imported_modules(data) if not dots}


def lines_of_strings(notebook: bytes) -> bytes:
    """Put what stands in the strings of a notebook's JSON on lines of their own."""
    return notebook.replace(rb"\n", b"\n").replace(b'"', b"\n")
