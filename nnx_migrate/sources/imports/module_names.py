"""Dotted names of files, and the folder that a project's imports start from."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Collection, Mapping
from pathlib import Path
from types import MappingProxyType

from nnx_migrate.sources.imports.namespace_portions import (
    LIBRARIES,
    STANDARD,
    is_project,
    package_around,
)

#: Folder without `__init__.py` -> the folder above it by which it is imported (see `naming`).
Above = Mapping[Path, Path]
_NOTHING: Above = MappingProxyType({})
_ELSEWHERE = STANDARD | (LIBRARIES - {"flax"})
_NEVER_IMPORTED = frozenset({".ipynb", ".md", ".markdown", ".rst"})


@dataclasses.dataclass(frozen=True, slots=True)
class Place:
    """Where a file stands among the imports of a run.

    Args:
        root: the folder that its imports start from.
        module: its dotted name.
        meant: first names of its absolute imports, with the dotted names that they stand for.
    """

    root: Path
    module: str
    meant: tuple[tuple[str, str], ...] = ()


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
    return root_of(place_of(path).parent, roots)


def root_of(folder: Path, roots: Collection[Path] = (), above: Above = _NOTHING) -> Path:
    """The same of the files in a folder, which is a real one.

    Args:
        folder: its real path.
        roots: folders known to be such starting points although they hold an `__init__.py`.
        above: how folders without one are imported.
    """
    while folder not in roots and folder != folder.parent:
        if os.path.isfile(folder / "__init__.py"):
            folder = folder.parent
        elif folder in above:
            folder = above[folder]
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
    return name_below(import_root(path, roots), place_of(path))


def name_below(root: Path, place: Path) -> str:
    """Return the dotted name of a file.

    Args:
        root: the folder that its imports start from.
        place: the file's real place.
    """
    relative = place.relative_to(root)
    if place.suffix in _NEVER_IMPORTED:
        # No import leads to it, and no file beside it may be taken for it.
        return ".".join([*relative.parts[:-1], relative.name.replace(".", "@")])
    parts = relative.with_suffix("").parts
    if parts[-1] == "__init__" and len(parts) > 1:
        parts = parts[:-1]
    return ".".join(parts) if len(parts) > 1 else _alone(parts[0])


def dotted(package: str, name: str) -> str:
    """Return the dotted name of a file.

    Args:
        package: that of its folder; "" where it is none.
        name: the file's.
    """
    stem = name.removesuffix(".py").replace(".", "@")
    if stem == "__init__":
        return package or stem
    return f"{package}.{stem}" if package else _alone(stem)


def _alone(stem: str) -> str:
    # `import types` seldom means the file, and where it does, that is said (see `naming`).
    return f"{stem}@" if stem in _ELSEWHERE else stem


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
