"""Packages that are installed in an environment: where they lie, found without running any of it.

An interpreter that a configuration names is never started: a repository that is looked at could
name any program. Its environment is read off the folders beside it.
"""

from __future__ import annotations

import dataclasses
import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

from nnx_migrate.sources.text import Source, UndecodableSource, decode
from nnx_migrate.sources.walk.scanning import read_file

#: Where packages lie below the folder of an environment.
_PLACES = (
    "lib/python*/site-packages",
    "lib64/python*/site-packages",
    "Lib/site-packages",
    "lib/python3/dist-packages",
    "local/lib/python*/dist-packages",
)
#: Of a larger file nothing is learned.
_MOST = 2 * 1024 * 1024


@dataclasses.dataclass(frozen=True, slots=True)
class Environment:
    """Where packages are looked for.

    Args:
        folders: in the order in which Python looks.
        state: another one after something was installed, changed or removed by an installer.
    """

    folders: tuple[str, ...]
    state: str

    def path_of(self, module: str) -> tuple[Path, str] | None:
        """The file of a module, and what it is called below its folder; None when there is none."""
        parts = module.split(".")
        if not all(part.isidentifier() for part in parts):
            return None
        for folder in self.folders:
            for shown in ("/".join([*parts, "__init__.py"]), "/".join(parts) + ".py"):
                if os.path.isfile(os.path.join(folder, shown)):
                    return Path(folder, shown), shown
        return None

    def read(self, module: str) -> Source | None:
        """The source of a module, named as it lies below its folder; None when it has none."""
        found = self.path_of(module)
        if found is None:
            return None
        path, shown = found
        try:
            return decode(Path(shown), read_file(path, _MOST))
        except (OSError, UndecodableSource, SyntaxError):
            return None


def environment(python: str = "") -> Environment:
    """The environment that packages are looked for in.

    Args:
        python: an interpreter, or the folder of an environment; if empty the one that is active
            (VIRTUAL_ENV), or else the one that runs this program.
    """
    python = python or os.environ.get("VIRTUAL_ENV", "")
    found = tuple(dict.fromkeys(_with_linked(_running() if not python else _below(Path(python)))))
    state = hashlib.blake2b(digest_size=16)
    for folder in found:
        state.update(folder.encode(errors="surrogateescape") + b"\0")
        for name, changed in sorted(_entries(folder)):
            state.update(f"{name} {changed}\0".encode(errors="surrogateescape"))
    return Environment(found, state.hexdigest())


class Environments:
    """The environments that a run looks into: its folders are read once in its life."""

    def __init__(self) -> None:
        self._known: dict[str, Environment] = {}

    def of(self, python: str) -> Environment:
        """The environment of an interpreter, as `environment` finds it."""
        if python not in self._known:
            self._known[python] = environment(python)
        return self._known[python]


def _running() -> Iterator[str]:
    import sysconfig

    paths = sysconfig.get_paths()
    yield from (paths["purelib"], paths["platlib"])


def _below(python: Path) -> Iterator[str]:
    prefix = python if python.is_dir() else python.parent.parent
    for place in _PLACES:
        yield from (str(folder) for folder in sorted(prefix.glob(place)) if folder.is_dir())


def _with_linked(folders: Iterator[str]) -> Iterator[str]:
    """Folders, and those that a `.pth` file in one of them adds: of packages that are edited."""
    for folder in folders:
        yield folder
        for name, _ in sorted(_entries(folder)):
            if name.endswith(".pth"):
                yield from _added_by(folder, name)


def _added_by(folder: str, name: str) -> Iterator[str]:
    try:
        lines = read_file(os.path.join(folder, name), _MOST).decode().splitlines()
    except (OSError, ValueError):
        return
    for line in lines:
        added = os.path.normpath(os.path.join(folder, line.strip()))
        if line.strip() and not line.startswith(("import ", "import\t", "#")):
            yield from [added] if os.path.isdir(added) else []


def _entries(folder: str) -> Iterator[tuple[str, int]]:
    try:
        with os.scandir(folder) as found:
            yield from ((each.name, each.stat().st_mtime_ns) for each in found)
    except OSError:
        return
