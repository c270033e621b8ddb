"""Files that never say nnx and yet matter, because they import a file that does, or are imported.

Backward: `class Big(Net)` in a file that imports `Net`, a package's `__init__.py` that re-exports
it, a file that gets `jit` from the project's own `compat.py`. Names are followed through
from-imports, star imports and base classes, to a fixpoint, in any file order.

Forward: a base class, or a function that is handed a Module, in a file that a candidate or one of
these imports. From there on within packages that have a candidate, where a function may hand on
what it is given, and elsewhere through `__init__.py` and base classes only: a project may stand
beside the source of a large library that it uses.

Only a tree with candidates pays for this. The other files are read again (they are in the page
cache) instead of being kept; see `importers`.
"""

from __future__ import annotations

import dataclasses
import os
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from nnx_migrate.sources.imports.importers import Importers, python_of, read
from nnx_migrate.sources.imports.module_names import Place, dotted
from nnx_migrate.sources.imports.namespace_names import Names
from nnx_migrate.sources.imports.scan import Import, scan_classes, scan_imports
from nnx_migrate.sources.walk.discovery import Candidate
from nnx_migrate.sources.walk.ignores import Ignores
from nnx_migrate.sources.walk.scanning import Listing

_EVERYTHING = "*"


@dataclasses.dataclass(frozen=True, slots=True)
class _File:
    package: bool
    place: Place
    imports: tuple[Import, ...]
    classes: tuple[tuple[str, tuple[str, ...]], ...]


class Fringe:
    """Collects what candidates import and define, then finds the files around them.

    Args:
        jobs: how many processes may read.
    """

    def __init__(self, jobs: int = 1) -> None:
        self._jobs = jobs
        self._candidates: dict[Path, bytes | None] = {}
        self._exports: dict[str, set[str]] = {}
        self._paths: dict[str, list[Path]] = defaultdict(list)
        self._packages: set[str] = set()
        self._wanted: set[str] = set()
        self._looked_for: set[str] = set()
        self._others: list[Listing] = []
        self._placed: dict[Path, Place] = {}

    def add(self, path: Path, data: bytes | None = None) -> None:
        """Take note of a candidate.

        Args:
            path: the file.
            data: its bytes, where they are others than on disk.
        """
        if self._candidates.get(path) is None:
            self._candidates[path] = data

    def place(self, path: Path) -> Place:
        """Where a candidate stands among the imports of all files that were met.

        Args:
            path: the file.
        """
        return self._place(path, self._python_of(path))

    def meet(self, others: Iterable[Listing]) -> None:
        """Learn from all files how each is imported.

        Args:
            others: what the walk left beside the candidates.
        """
        self._others = list(others)
        if not self._candidates:
            return
        groups = _together(self._others, self._candidates)
        self._names = Names(groups)
        self._importers = Importers(groups, self._names, self._jobs)
        for path, data in self._candidates.items():
            if data is not None:
                self._names.learn(path, python_of(path, data))

    def find(self) -> Iterator[tuple[Candidate, Place]]:
        """Yield the files that matter among those that never say nnx, and where they stand.

        Files that a pattern leaves out are not yielded.
        """
        for path in self._candidates:
            data = self._python_of(path)
            place = self._place(path, data)
            self._exports[place.module] = {_EVERYTHING}
            self._paths[place.module].append(path)
            self._packages.add(_package(place.module))
            self._want(_scan(path, data, place))
        if not self._exports:
            return
        found = dict(self._imported())
        found.update(self._importing())
        found.update(self._imported())
        for path in sorted(found):
            found_data = read(path)
            if found_data is not None:
                yield Candidate(path, found_data), found[path]

    def _place(self, path: Path, data: bytes) -> Place:
        if path not in self._placed:
            self._placed[path] = self._names.place(path, data)
        return self._placed[path]

    def _python_of(self, path: Path) -> bytes:
        data = self._candidates[path]
        return python_of(path, data if data is not None else read(path) or b"")

    def _want(self, imports: Iterable[Import]) -> None:
        for imported in imports:
            self._wanted.add(imported.module)
            if imported.name is not None:
                self._wanted.add(f"{imported.module}.{imported.name}")

    def _imported(self) -> Iterator[tuple[Path, Place]]:
        packages = [self._names.package(group.real) for group in self._others]
        while not self._wanted <= self._looked_for:
            fresh = self._wanted - self._looked_for
            self._looked_for |= fresh
            around = fresh | {module.rpartition(".")[0] for module in fresh}
            for group, package in zip(self._others, packages, strict=True):
                for name in group.names if package in around else ():
                    if dotted(package, name) in fresh and _allowed(group, name):
                        path = Path(group.shown, name)
                        if (file := self._parsed(path)) is not None:
                            self._want(self._passed_on(file))
                            yield path, file.place

    def _passed_on(self, file: _File) -> Iterator[Import]:
        own = _package(file.place.module)
        bases = {base for _, names in file.classes for base in names}
        for imported in file.imports:
            inside = own in self._packages and _package(imported.module) == own
            if inside or file.package or imported.bound in bases:
                yield imported

    def _importing(self) -> Iterator[tuple[Path, Place]]:
        parsed: dict[Path, _File | None] = dict.fromkeys(self._candidates)
        pending = [(path, module) for module, paths in self._paths.items() for path in paths]
        paths: dict[tuple[str, str], Path] = {}
        yielded: set[Path] = set()
        while pending:
            for group, name in self._importers.of(*pending.pop()):
                path = paths.get((group.shown, name)) or Path(group.shown, name)
                paths[group.shown, name] = path
                if path not in parsed:
                    parsed[path] = self._parsed(path) if _allowed(group, name) else None
                file = parsed[path]
                bound = _tainted(file, self._exports) if file is not None else None
                if file is None or bound is None:
                    continue
                known = self._exports.setdefault(file.place.module, set())
                if path not in yielded:
                    yielded.add(path)
                    self._want(file.imports)
                    yield path, file.place
                if not bound <= known:
                    known |= bound
                    pending.append((path, file.place.module))

    def _parsed(self, path: Path) -> _File | None:
        data = read(path)
        if data is None:
            return None
        data = python_of(path, data)
        place = self._names.place(path, data)
        imports = tuple(_scan(path, data, place))
        classes = scan_classes(data) if imports else ()
        found = tuple((name, tuple(bases)) for name, bases in classes)
        return _File(path.name == "__init__.py", place, imports, found)


def _together(others: Iterable[Listing], candidates: Iterable[Path]) -> list[Listing]:
    """The files of a run by folder."""
    names: dict[str, list[str]] = defaultdict(list)
    for path in candidates:
        names[str(path.parent)].append(path.name)
    groups = []
    for group in others:
        more = names.pop(group.shown, names.pop(group.shown or ".", []))
        groups.append(
            Listing.of(group.shown, group.real, [*group.names, *more], group.rules)
            if more
            else group
        )
    for shown, own in names.items():
        groups.append(Listing.of(shown, os.path.realpath(shown), own, Ignores()))
    return groups


def _scan(path: Path, data: bytes, place: Place) -> Iterator[Import]:
    return scan_imports(data, place.module, path.name == "__init__.py", dict(place.meant))


def _tainted(file: _File, exports: dict[str, set[str]]) -> set[str] | None:
    """Return the names in `file` that lead to a candidate; None when it imports none of them."""
    bound: set[str] = set()
    hit = False
    for imported in file.imports:
        names = exports.get(imported.module, set())
        if imported.name is None:
            matters = imported.module in exports
        elif imported.name == _EVERYTHING:
            matters = bool(names)
            bound |= names
        else:
            submodule = f"{imported.module}.{imported.name}"
            matters = _EVERYTHING in names or imported.name in names or submodule in exports
        if matters:
            hit = True
            bound.add(imported.bound)
    if not hit:
        return None
    for _ in file.classes:
        derived = {name for name, bases in file.classes if not bound.isdisjoint(bases)}
        if derived <= bound:
            break
        bound |= derived
    return bound


def _package(module: str) -> str:
    return module.partition(".")[0]


def _allowed(group: Listing, name: str) -> bool:
    return not group.rules.match(f"{group.real}/{name}")
