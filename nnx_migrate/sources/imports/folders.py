"""What is in the folders from which imports may start: files, packages, and names in the files."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from nnx_migrate.sources.imports.namespace_portions import is_project
from nnx_migrate.sources.imports.scan import written_imports
from nnx_migrate.sources.walk.discovery import MAX_BYTES
from nnx_migrate.sources.walk.scanning import read_file

#: What a module binds in lines that stand at the margin.
_DEFINED = re.compile(
    rb"^(?:async[ \t]+)?(?:def|class)[ \t]+(\w+)|^(\w[\w,* \t]*)(?::[^\n=]*)?=(?!=)", re.M
)


_WORD = re.compile(rb"\w+")


INIT = "__init__.py"


class Folders:
    """Looks each file and folder up once."""

    def __init__(self) -> None:
        self._is_file: dict[str, bool] = {}
        self._is_folder: dict[str, bool] = {}
        self._projects: dict[str, bool] = {}
        self._defined: dict[str, frozenset[str]] = {}

    def has_file(self, folder: str, name: str) -> bool:
        """Whether a folder has a file of that name."""
        path = inside(folder, name)
        if path not in self._is_file:
            self._is_file[path] = os.path.isfile(path)
        return self._is_file[path]

    def is_folder(self, path: str) -> bool:
        """Whether a folder is there."""
        if path not in self._is_folder:
            self._is_folder[path] = os.path.isdir(path)
        return self._is_folder[path]

    def package_root(self, folder: str) -> str:
        """The folder that holds the outermost package around a folder."""
        while self.has_file(folder, INIT) and os.path.dirname(folder) != folder:
            folder = os.path.dirname(folder)
        return folder

    def starts_project(self, folder: str) -> bool:
        """Whether a project starts in a folder."""
        if folder not in self._projects:
            self._projects[folder] = is_project(Path(folder))
        return self._projects[folder]

    def project_of(self, folder: str) -> str:
        """The folder where the project starts that a folder is part of."""
        while not self.starts_project(folder) and os.path.dirname(folder) != folder:
            folder = os.path.dirname(folder)
        return folder

    def below_project(self, folder: str) -> list[str]:
        """The names of folders on the way from where its project starts."""
        return folder.removeprefix(self.project_of(folder)).split(os.sep)

    def names_in(self, folder: str, stem: str) -> frozenset[str]:
        """The names that a file may have."""
        file = inside(folder, f"{stem}.py")
        if file not in self._defined:
            self._defined[file] = frozenset(_defined(file, stem))
        return self._defined[file]


def inside(folder: str, name: str) -> str:
    """A name in a folder; `os.path.join` takes ten times as long, and is asked a million times."""
    return f"{folder}{os.sep}{name}" if folder != os.sep else folder + name


def _defined(file: str, name: str) -> Iterator[str]:
    """The names in a file that are its own, and what it imports from elsewhere than `name`."""
    try:
        data = read_file(file, MAX_BYTES)
    except OSError:
        return
    for match in _DEFINED.finditer(data):
        yield from (word.decode(errors="replace") for word in _WORD.findall(match[1] or match[2]))
    for each in written_imports(data):
        if each.module != name:
            yield each.bound


def taken_out_of(data: bytes, head: str) -> Iterator[str]:
    """The names that a file takes out of what it imports by one bare name."""
    for each in written_imports(data):
        if each.dots or each.module != head:
            continue
        if each.name is not None:
            yield each.name
            continue
        for match in re.finditer(
            rb"\b%s[ \t]*\.[ \t]*(\w+)" % re.escape(each.bound.encode()), data
        ):
            yield match[1].decode(errors="replace")
