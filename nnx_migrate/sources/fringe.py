"""Files that never say nnx and yet matter, because they import a file that does, or are imported.

Backward: `class Big(Net)` in a file that imports `Net`, a package's `__init__.py` that re-exports
it, a file that gets `jit` from the project's own `compat.py`. Names are followed through
from-imports, star imports and base classes, to a fixpoint, in any file order.

Forward: a base class, or a function that is handed a Module, in a file that a candidate imports;
from there on through packages' `__init__.py` and base classes only.

Only a tree with candidates pays for this. The other files are read again (they are in the page
cache) instead of being kept; see `importers`.
"""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from nnx_migrate.sources.discovery import Candidate
from nnx_migrate.sources.importers import Importers, dotted, python_of, read
from nnx_migrate.sources.imports import Import, scan_classes, scan_imports
from nnx_migrate.sources.modules import module_name
from nnx_migrate.sources.scanning import Listing

_EVERYTHING = "*"


@dataclasses.dataclass(frozen=True, slots=True)
class _File:
    package: bool
    module: str
    imports: tuple[Import, ...]
    classes: tuple[tuple[str, tuple[str, ...]], ...]


class Fringe:
    """Collects what candidates import and define, then finds the files around them.

    Args:
        jobs: how many processes may read.
    """

    def __init__(self, jobs: int = 1) -> None:
        self._jobs = jobs
        self._exports: dict[str, set[str]] = {}
        self._wanted: set[str] = set()

    def add(self, path: Path, data: bytes) -> None:
        """Take note of a candidate.

        Args:
            path: the file; its dotted name is computed from where it lies.
            data: its bytes.
        """
        module = module_name(path)
        self._exports[module] = {_EVERYTHING}
        self._want(scan_imports(python_of(path, data), module, path.name == "__init__.py"))

    def find(self, others: Iterable[Listing]) -> Iterator[Candidate]:
        """Yield the files that matter among those that never say nnx.

        Args:
            others: what the walk left; files that a pattern leaves out are not yielded.
        """
        if not self._exports:
            return
        importers = Importers(list(others), self._jobs)
        found = dict.fromkeys(self._imported(importers))
        found.update(dict.fromkeys(self._importing(importers)))
        for path in sorted(found):
            data = read(path)
            if data is not None:
                yield Candidate(path, data)

    def _want(self, imports: Iterable[Import]) -> None:
        for imported in imports:
            self._wanted.add(imported.module)
            if imported.name is not None:
                self._wanted.add(f"{imported.module}.{imported.name}")

    def _imported(self, importers: Importers) -> Iterator[Path]:
        looked_for: set[str] = set()
        while not self._wanted <= looked_for:
            fresh, looked_for = self._wanted - looked_for, looked_for | self._wanted
            stems: dict[str, set[str]] = defaultdict(set)
            for module in fresh:
                package, _, stem = module.rpartition(".")
                stems[package].add(stem)
                stems[module].add("__init__")
            for group in importers.groups:
                package = importers.packages[group.shown]
                here = stems.get(package, ())
                for name in group.names if here else ():
                    if name.removesuffix(".py") in here and _allowed(group, name):
                        path = Path(group.shown, name)
                        self._want(_passed_on(path, dotted(package, name)))
                        yield path

    def _importing(self, importers: Importers) -> Iterator[Path]:
        parsed: dict[Path, _File | None] = {}
        pending = list(self._exports)
        while pending:
            for group, name in importers.of(pending.pop()):
                path = Path(group.shown, name)
                if path not in parsed:
                    module = dotted(importers.packages[group.shown], name)
                    parsed[path] = _parsed(path, module) if _allowed(group, name) else None
                file = parsed[path]
                bound = _tainted(file, self._exports) if file is not None else None
                if file is None or bound is None:
                    continue
                known = self._exports.setdefault(file.module, set())
                yield path
                if not bound <= known:
                    known |= bound
                    pending.append(file.module)


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


def _passed_on(path: Path, module: str) -> Iterator[Import]:
    file = _parsed(path, module)
    if file is None:
        return
    bases = {base for _, names in file.classes for base in names}
    for imported in file.imports:
        if file.package or imported.bound in bases:
            yield imported


def _parsed(path: Path, module: str) -> _File | None:
    data = read(path)
    if data is None:
        return None
    package = path.name == "__init__.py"
    data = python_of(path, data)
    imports = tuple(scan_imports(data, module, package))
    classes = scan_classes(data) if imports else ()
    return _File(package, module, imports, tuple((name, tuple(b)) for name, b in classes))


def _allowed(group: Listing, name: str) -> bool:
    return not group.rules.match(f"{group.real}/{name}")
