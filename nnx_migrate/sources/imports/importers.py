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
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from nnx_migrate.sources.documents.kinds import PAGES, is_document, read_source
from nnx_migrate.sources.imports.namespace_names import Names
from nnx_migrate.sources.imports.namespace_portions import lines_of_strings
from nnx_migrate.sources.imports.scan import Written, imported_modules, written_imports
from nnx_migrate.sources.text import UndecodableSource
from nnx_migrate.sources.walk.discovery import MAX_BYTES
from nnx_migrate.sources.walk.scanning import Listing, read_file, shared


class Importers:
    """Answers which of some files import a module.

    Args:
        groups: the files, by folder.
        names: how they are imported; learns from their imports.
        jobs: how many processes may read.

    Attributes:
        groups: the files, by folder.
    """

    def __init__(self, groups: Sequence[Listing], names: Names, jobs: int) -> None:
        self.groups = groups
        self._names = names
        self._starts: list[int] = []
        self._index: dict[int, array[int]] = {}
        number = 0
        for group, found in shared(functools.partial(_imports, names), groups, jobs):
            self._starts.append(number)
            for keys, evidence in found:
                for key in keys:
                    self._index.setdefault(key, array("I")).append(number)
                for written in evidence:
                    names.note(group.real, written)
                number += 1

    def of(self, path: Path, module: str) -> Iterator[tuple[Listing, str]]:
        """Yield folder and name of the files that may import a module, or something from it.

        Args:
            path: the module's file; None where no file has that name.
            module: its dotted name. One checksum may stand for several modules.
        """
        place = os.path.join(os.path.realpath(path.parent), path.stem)
        if path.name == "__init__.py":
            place = os.path.dirname(place)
        found = set(self._numbers(module, place, os.path.dirname(place)))
        for name, start, after in self._names.ways(path):
            head = name.partition(".")[0]
            for group, numbers in self._by_group(self._numbers(name)):
                if self._names.may_mean(group.real, head, start, after):
                    found.update(numbers)
        for group, numbers in self._by_group(found):
            first = self._starts[self._place_of(numbers[0])]
            names = group.names
            yield from ((group, names[number - first]) for number in numbers)

    def _numbers(self, module: str, *places: str) -> Iterator[int]:
        """The files that import a module by its dotted name, or relatively from some places."""
        names = (module, module.rpartition(".")[0])
        for key in {*map(_key, filter(None, names)), *map(_key, places)}:
            yield from self._index.get(key, ())

    def _by_group(self, numbers: Iterable[int]) -> Iterator[tuple[Listing, list[int]]]:
        for place, own in itertools.groupby(sorted(set(numbers)), self._place_of):
            yield self.groups[place], list(own)

    def _place_of(self, number: int) -> int:
        return bisect_right(self._starts, number) - 1


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


def _imports(
    names: Names, folder: str, files: Sequence[str]
) -> list[tuple[tuple[int, ...], tuple[Written, ...]]]:
    """Of each file the keys of what it imports, and the imports that tell of folders."""
    prefix, real = os.path.join(folder, ""), os.path.realpath(folder)
    found: list[tuple[tuple[int, ...], tuple[Written, ...]]] = []
    for name in files:
        data = None if name.endswith(PAGES) else read(prefix + name)
        if data is None:
            found.append(((), ()))
            continue
        # JSON is decoded only where one of these lines imports what is asked for.
        data = data if name.endswith(".py") else lines_of_strings(data)
        modules = imported_modules(data)
        evidence: tuple[Written, ...] = ()
        if names.heads and any(names.may_be_evidence(real, *each) for each in modules):
            evidence = tuple(each for each in written_imports(data) if names.is_evidence(each))
        keys = tuple(_key(_named(real, dots, module)) for dots, module in modules)
        found.append((keys, evidence))
    return found


def _named(folder: str, dots: int, module: str) -> str:
    """What stands for a module: its dotted name, or its place where the import is relative."""
    if not dots:
        return module
    for _ in range(dots - 1):
        folder = os.path.dirname(folder)
    return os.path.join(folder, *module.split(".")) if module else folder


def _key(module: str) -> int:
    return zlib.crc32(module.encode(errors="surrogatepass"))
