"""Which files import a module: each file is asked once, and parsed only where the answer matters.

An index holds a checksum of each module that a file imports, some 4 bytes an import. To make it
takes 10 us a file for reading (from the page cache) and 20 for its imports; other processes share
that.
"""

from __future__ import annotations

import functools
import itertools
import os
import zlib
from array import array
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from nnx_migrate.sources.discovery import MAX_BYTES
from nnx_migrate.sources.documents.kinds import PAGES, is_document, read_source
from nnx_migrate.sources.imports import imported_modules
from nnx_migrate.sources.modules import module_name
from nnx_migrate.sources.portions import lines_of_strings
from nnx_migrate.sources.scanning import Listing, read_file, shared
from nnx_migrate.sources.text import UndecodableSource


class Importers:
    """Answers which of some files import a module.

    Args:
        groups: the files, by folder.
        jobs: how many processes may read.

    Attributes:
        groups: the files, by folder.
        packages: the dotted name of the package that each folder is; "" where it is none.
    """

    def __init__(self, groups: Sequence[Listing], jobs: int) -> None:
        self.groups = groups
        self.packages = {group.shown: _package_of(group) for group in groups}
        self._jobs = jobs

    def of(self, module: str) -> Iterator[tuple[Listing, str]]:
        """Yield folder and name of the files that may import a module, or something from it.

        Args:
            module: its dotted name. One checksum may stand for several modules.
        """
        starts, index = self._index
        parent = module.rpartition(".")[0]
        keys = {_key(name) for name in (module, parent) if name}
        numbers = sorted({number for key in keys for number in index.get(key, ())})
        for place, own in itertools.groupby(numbers, lambda number: bisect_right(starts, number)):
            group = self.groups[place - 1]
            names = group.names
            for number in own:
                yield group, names[number - starts[place - 1]]

    @functools.cached_property
    def _index(self) -> tuple[list[int], dict[int, array[int]]]:
        """Where the numbers of each folder's files start, and the files under each checksum."""
        starts: list[int] = []
        index: dict[int, array[int]] = {}
        number = 0
        look = functools.partial(_imports, self.packages)
        for _, imported in shared(look, self.groups, self._jobs):
            starts.append(number)
            for keys in imported:
                for key in keys:
                    index.setdefault(key, array("I")).append(number)
                number += 1
        return starts, index


def read(path: Path | str) -> bytes | None:
    """Return the bytes of a file that may be imported."""
    # Files that cannot be read were reported by the walk; nobody imports one of such a size.
    try:
        return read_file(path, MAX_BYTES)
    except OSError:
        return None


def python_of(path: Path, data: bytes) -> bytes:
    """Return the Python in a file with these bytes: those of a script, the cells of a notebook."""
    if not is_document(path):
        return data
    try:
        return read_source(path, data).data
    except UndecodableSource:
        return b""


def dotted(package: str, name: str) -> str:
    """Return the dotted name of a file.

    Args:
        package: that of its folder; "" where it is none.
        name: the file's.
    """
    stem = name.removesuffix(".py").replace(".", "@")
    if stem == "__init__":
        return package or stem
    return f"{package}.{stem}" if package else stem


def _imports(
    packages: Mapping[str, str], folder: str, names: Sequence[str]
) -> list[tuple[int, ...]]:
    prefix, package = os.path.join(folder, ""), packages[folder]
    found: list[tuple[int, ...]] = []
    for name in names:
        data = None if name.endswith(PAGES) else read(prefix + name)
        modules: set[str] = set()
        if data is not None:
            # JSON is decoded only where one of these lines imports what is asked for.
            data = data if name.endswith(".py") else lines_of_strings(data)
            modules = imported_modules(data, dotted(package, name), name == "__init__.py")
        found.append(tuple(map(_key, modules)))
    return found


def _key(module: str) -> int:
    return zlib.crc32(module.encode(errors="surrogatepass"))


def _package_of(group: Listing) -> str:
    package = module_name(Path(group.real, "__init__.py"))
    return "" if package == "__init__" else package
