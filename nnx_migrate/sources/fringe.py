"""Files that never say nnx and yet matter, because they import a file that does, or are imported.

Backward: `class Big(Net)` in a file that imports `Net`, a package's `__init__.py` that re-exports
it, a file that gets `jit` from the project's own `compat.py`. Names are followed through
from-imports, star imports and base classes, to a fixpoint, in any file order.

Forward: a base class, or a function that is handed a Module, in a file that a candidate imports;
from there on through packages' `__init__.py` and base classes only.

Only a tree with candidates pays for this. The second pass reads the other files again (they are in
the page cache) instead of keeping them. Measured on 20,000 of them: 0.4 CPU-s beside one package of
candidates, whose top-level name most files never say; 1.1 CPU-s beside 315 loose scripts, when
every file is scanned for imports.
"""

from __future__ import annotations

import dataclasses
import os
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from nnx_migrate.sources.discovery import MAX_BYTES, Candidate
from nnx_migrate.sources.documents.kinds import PAGES, is_document, read_source
from nnx_migrate.sources.imports import Import, scan_classes, scan_imports
from nnx_migrate.sources.modules import module_name
from nnx_migrate.sources.scanning import Listing, read_file
from nnx_migrate.sources.text import UndecodableSource

_EVERYTHING = "*"
# Beyond this many names one import scan is cheaper than looking for each of them.
_MAX_NEEDLES = 12
_MAX_ROUNDS = 8


@dataclasses.dataclass(frozen=True, slots=True)
class _File:
    path: Path
    module: str
    package: bool
    imports: tuple[Import, ...]
    classes: tuple[tuple[str, tuple[str, ...]], ...]


class Fringe:
    """Collects what candidates import and define, then finds the files around them."""

    def __init__(self) -> None:
        self._exports: dict[str, set[str]] = {}
        self._wanted: set[str] = set()

    def add(self, path: Path, data: bytes) -> None:
        """Take note of a candidate.

        Args:
            path: the file; its dotted name is computed from where it lies.
            data: its bytes.
        """
        module = module_name(path.absolute())
        self._exports[module] = {_EVERYTHING}
        self._want(scan_imports(_python(path, data), module, path.name == "__init__.py"))

    def find(self, others: Iterable[Listing]) -> Iterator[Candidate]:
        """Yield the files that matter among those that never say nnx.

        Args:
            others: what the walk left; files that a pattern leaves out are not yielded.
        """
        if not self._exports:
            return
        groups = list(others)
        found = dict.fromkeys(self._imported(groups))
        found.update(dict.fromkeys(self._importing(groups)))
        for path in sorted(found):
            data = _read(path)
            if data is not None:
                yield Candidate(path, data)

    def _want(self, imports: Iterable[Import]) -> None:
        for imported in imports:
            self._wanted.add(imported.module)
            if imported.name is not None:
                self._wanted.add(f"{imported.module}.{imported.name}")

    def _imported(self, groups: list[Listing]) -> Iterator[Path]:
        places = [(group, _package_of(group)) for group in groups]
        looked_for: set[str] = set()
        while not self._wanted <= looked_for:
            fresh, looked_for = self._wanted - looked_for, looked_for | self._wanted
            for group, package in places:
                for name in group.names:
                    if _dotted(package, name) in fresh and _allowed(group, name):
                        path = Path(group.shown, name)
                        self._want(_passed_on(path, _dotted(package, name)))
                        yield path

    def _importing(self, groups: list[Listing]) -> Iterator[Path]:
        scanned: set[str] = set()
        # A loose script that re-exports has a top-level name of its own, which is looked for next.
        for _ in range(_MAX_ROUNDS):
            tops = {module.split(".", 1)[0] for module in self._exports} - scanned
            if not tops:
                break
            yield from self._users_of(tops, groups)
            scanned |= tops

    def _users_of(self, tops: set[str], groups: list[Listing]) -> Iterator[Path]:
        files = list(self._scan(tops, groups))
        users: dict[str, list[_File]] = defaultdict(list)
        for file in files:
            for imported in file.imports:
                users[imported.module].append(file)
                if imported.name is not None:
                    users[f"{imported.module}.{imported.name}"].append(file)
        pending = list(self._exports)
        while pending:
            for file in users.get(pending.pop(), ()):
                bound = _tainted(file, self._exports)
                if bound is None:
                    continue
                known = self._exports.setdefault(file.module, set())
                yield file.path
                if not bound <= known:
                    known |= bound
                    pending.append(file.module)

    def _scan(self, tops: set[str], groups: list[Listing]) -> Iterator[_File]:
        needles = [top.encode(errors="surrogateescape") for top in sorted(tops)]
        for group in groups:
            package = _package_of(group)
            related = package.split(".")[0] in tops or len(needles) > _MAX_NEEDLES
            for name in group.names:
                path = Path(group.shown, name)
                data = None if name.endswith(PAGES) else _read(path)
                if data is None:
                    continue
                if related or any(needle in data for needle in needles):
                    file = _parse(path, data, _dotted(package, name), tops)
                    if file.imports and _allowed(group, name):
                        yield file


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
    data = _read(path)
    if data is None:
        return
    file = _parse(path, data, module)
    bases = {base for _, names in file.classes for base in names}
    for imported in file.imports:
        if file.package or imported.bound in bases:
            yield imported


def _parse(path: Path, data: bytes, module: str, tops: Collection[str] | None = None) -> _File:
    package = path.name == "__init__.py"
    data = _python(path, data)
    imports = tuple(
        imported
        for imported in scan_imports(data, module, package)
        if tops is None or imported.module.split(".", 1)[0] in tops
    )
    classes = scan_classes(data) if imports else ()
    return _File(path, module, package, imports, tuple((name, tuple(b)) for name, b in classes))


def _package_of(group: Listing) -> str:
    package = module_name(Path(group.real, "__init__.py"))
    has_init = "__init__.py" in group.names or os.path.isfile(
        os.path.join(group.real, "__init__.py")
    )
    return package if has_init else ""


def _dotted(package: str, name: str) -> str:
    stem = name.removesuffix(".py").replace(".", "@")
    if stem == "__init__":
        return package or stem
    return f"{package}.{stem}" if package else stem


def _allowed(group: Listing, name: str) -> bool:
    return not group.rules.match(f"{group.real}/{name}")


def _python(path: Path, data: bytes) -> bytes:
    if not is_document(path):
        return data
    try:
        return read_source(path, data).data
    except UndecodableSource:
        return b""


def _read(path: Path) -> bytes | None:
    # Files that cannot be read were reported by the walk; nobody imports one of such a size.
    try:
        return read_file(path, MAX_BYTES)
    except OSError:
        return None
