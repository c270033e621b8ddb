"""Dotted names of files, and the folder that a project's imports start from."""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path

from nnx_migrate.sources.portions import is_project, package_around

_NEVER_IMPORTED = frozenset({".ipynb", ".md", ".markdown", ".rst"})


def place_of(path: Path) -> Path:
    """Return the absolute path of a file, by the folder that it really lies in.

    On the way up from `../project/train.py`, or from a file behind a linked folder, there would be
    folders otherwise that have nothing to do with it.

    Args:
        path: as it was named or found; where the file itself is a link, that stays.
    """
    return Path(os.path.realpath(path.parent), path.name)


def import_root(path: Path, roots: Collection[Path] = ()) -> Path:
    """Return the folder that the absolute imports of a file's package start from.

    Args:
        path: a Python file.
        roots: folders known to be such starting points although they hold an `__init__.py`.
    """
    return _import_root(place_of(path), roots)


def _import_root(place: Path, roots: Collection[Path]) -> Path:
    folder = place.parent
    while folder not in roots and folder != folder.parent:
        if os.path.isfile(folder / "__init__.py"):
            folder = folder.parent
        elif (package := package_around(folder, roots)) is not None:
            folder = package
        else:
            break
    return folder


def module_name(path: Path, roots: Collection[Path] = ()) -> str:
    """Return the dotted name by which other files import `path`.

    The name starts below the first parent that holds no `__init__.py` and is no part of a package
    around it (see `portions`), so src layouts and the portions of namespace packages need no
    configuration.

    Args:
        path: a Python file.
        roots: folders known to be on the import path although they hold an `__init__.py`.
    """
    return import_place(path, roots)[1]


def import_place(path: Path, roots: Collection[Path] = ()) -> tuple[Path, str]:
    """Both `import_root` and `module_name`."""
    place = place_of(path)
    root = _import_root(place, roots)
    relative = place.relative_to(root)
    if path.suffix in _NEVER_IMPORTED:
        # No import leads to it, and no file beside it may be taken for it.
        return root, ".".join([*relative.parts[:-1], relative.name.replace(".", "@")])
    parts = relative.with_suffix("").parts
    if parts[-1] == "__init__" and len(parts) > 1:
        parts = parts[:-1]
    return root, ".".join(parts)


def home_of(path: Path) -> Path:
    """Return the folder that the names of a file, and of those beside it, are told from.

    That is the repository around the file; without one, its project. It does not depend on the
    folder that a run was started in, nor on how the file was named.
    """
    return repository_of(path) or project_root(path)


def name_in_home(path: Path, home: Path | None = None) -> str:
    """Return the name of a file from such a folder, with "/".

    Args:
        path: the file; a link stands for its target.
        home: the folder, when it is that of another file.
    """
    relative = os.path.relpath(os.path.realpath(path), home or home_of(path))
    return relative.replace(os.sep, "/")


def repository_of(path: Path) -> Path | None:
    """Return the folder of the repository around the file at `path`, or None."""
    real = Path(os.path.realpath(path))
    return next((folder for folder in real.parents if os.path.exists(folder / ".git")), None)


def project_root(path: Path) -> Path:
    """Return the folder of the project that the file or folder at `path` belongs to.

    That is the nearest one upward with a pyproject.toml, a setup file or a repository; without
    any, the folder that its imports start from.
    """
    start = Path(os.path.realpath(path if os.path.isdir(path) else path.parent))
    for folder in (start, *start.parents):
        if is_project(folder):
            return folder
    return import_root(start / "__init__.py")
