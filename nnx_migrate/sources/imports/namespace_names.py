"""How the files of a run are imported where no `__init__.py` says it.

A folder without one is a package by being imported as one (PEP 420): `from pk.mod import Net`, in a
file from which the folder that holds `pk` can be seen, names the files in it. The import of a
script that is started in a folder of a package names the file beside it, and one of `types` names
`types.py` of the project only when it takes something out of it that is defined there.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path

from nnx_migrate.sources.imports.folders import INIT, Folders, inside, taken_out_of
from nnx_migrate.sources.imports.module_names import Place, name_below, root_of
from nnx_migrate.sources.imports.namespace_portions import LIBRARIES, STANDARD
from nnx_migrate.sources.imports.scan import Written, written_imports
from nnx_migrate.sources.walk.scanning import Listing


class Names:
    """The dotted names of the files of a run.

    Args:
        groups: all files, by folder.

    Attributes:
        heads: names of folders that may be packages by being imported.
    """

    def __init__(self, groups: Iterable[Listing]) -> None:
        self._groups = list(groups)
        self._folders = Folders()
        self._above: dict[Path, Path] = {}
        self._roots: dict[Path, tuple[Path, Path]] = {}
        self._named_places: dict[Path, tuple[Path, str]] = {}
        self._real: dict[str, str] = {}
        self._seen_from: dict[str, tuple[str, ...]] = {}
        self._held: dict[tuple[str, ...], tuple[str, ...]] = {}
        self._loose: dict[str, list[str]] | None = None
        self._named = self._open_folders()
        self.heads = frozenset(self._named)

    def may_be_evidence(self, folder: str, dots: int, module: str) -> bool:
        """Whether an import may tell how a folder without `__init__.py` is imported.

        Args:
            folder: the real path of the folder of the importing file.
            dots: how many stand in front of the module.
            module: what is behind them.
        """
        if dots > 1 and not self._folders.has_file(folder, INIT):
            return True
        return (dots > 0 and not module) or module.partition(".")[0] in self.heads

    def is_evidence(self, written: Written) -> bool:
        """The same of an import of which the names are known.

        Args:
            written: an import of such a file.
        """
        parts = written.parts
        return written.dots > 1 or (
            bool(parts) and parts[0] in self.heads and len(parts) + written.dots > 1
        )

    def note(self, folder: str, written: Written) -> None:
        """Learn from an import.

        Args:
            folder: the real path of the folder of the importing file.
            written: the import.
        """
        parts = written.parts
        if not written.dots:
            for place in self._holders(folder, parts):
                self._descend(place, parts)
            return
        place = folder
        for _ in range(written.dots - 1):
            if self._folders.starts_project(place):
                return
            place = os.path.dirname(place)
        self._descend(
            place, os.path.relpath(folder, place).split(os.sep) if written.dots > 1 else ()
        )
        self._descend(place, parts)

    def learn(self, path: Path, data: bytes) -> None:
        """Learn from all imports of a file.

        Args:
            path: the file.
            data: the Python in it.
        """
        folder = self._folder_of(path)
        for written in written_imports(data):
            likely = self.may_be_evidence(folder, written.dots, written.module)
            if likely and self.is_evidence(written):
                self.note(folder, written)

    def module(self, path: Path) -> str:
        """The dotted name of a file."""
        return self._named_place(path)[1]

    def package(self, folder: str) -> str:
        """The dotted name of a folder as a package; "" where its files are imported as they are."""
        name = self.module(Path(folder, INIT))
        return "" if name == "__init__" else name

    def place(self, path: Path, data: bytes) -> Place:
        """Where a file stands.

        Args:
            path: the file.
            data: the Python in it.
        """
        root, module = self._named_place(path)
        return Place(root, module, tuple(sorted(self._meant(path, data).items())))

    def ways(self, path: Path) -> Iterator[tuple[str, str, str]]:
        """Other absolute names that imports of a file may have.

        Args:
            path: the file.

        Yields:
            The name; the folder that it starts from; the second part of the name, or "".
        """
        folder = self._folder_of(path)
        parts = (path.stem,) if path.name != INIT else ()
        root, module = self._named_place(path)
        while Path(folder) != root or module.endswith("@"):
            if parts:
                yield ".".join(parts), folder, parts[1] if len(parts) > 1 else ""
            if Path(folder) == root:
                return
            folder, parts = os.path.dirname(folder), (os.path.basename(folder), *parts)

    def may_mean(self, folder: str, name: str, start: str, after: str) -> bool:
        """Whether an import in some folder may start from a place.

        Args:
            folder: the real path of the importing file's folder.
            name: the first name of the import.
            start: the folder in which that would be found.
            after: the second name, or "".
        """
        parts = [name, after] if after else [name]
        return start in self._holders(folder, parts) or start in self._loosely(folder, parts)

    def _named_place(self, path: Path) -> tuple[Path, str]:
        if path not in self._named_places:
            folder = path.parent
            if folder not in self._roots:
                real = Path(self._folder_of(path))
                self._roots[folder] = real, root_of(real, above=self._above)
            real, root = self._roots[folder]
            self._named_places[path] = root, name_below(root, real / path.name)
        return self._named_places[path]

    def _folder_of(self, path: Path) -> str:
        """The real path of a file's folder."""
        folder = str(path.parent)
        if folder not in self._real:
            self._real[folder] = os.path.realpath(folder)
        return self._real[folder]

    def _open_folders(self) -> dict[str, set[str]]:
        """Folders without `__init__.py`, by their names; those on the way to them as well."""
        found: dict[str, set[str]] = defaultdict(set)
        seen: set[str] = set()
        for group in self._groups:
            folder = group.real or "/"
            if not LIBRARIES.isdisjoint(self._folders.below_project(folder)):
                continue  # part of a copy of that library
            while folder not in seen and not self._folders.starts_project(folder):
                seen.add(folder)
                parent, name = os.path.split(folder)
                if parent == folder:
                    break
                if (
                    name.isidentifier()
                    and name not in LIBRARIES
                    and not self._folders.has_file(folder, INIT)
                ):
                    found[name].add(folder)
                folder = parent
        return found

    def _descend(self, place: str, parts: Sequence[str]) -> None:
        """What an import from a place says of the folders that it goes through."""
        folder = place
        for part in parts:
            folder = inside(folder, part)
            if not self._folders.is_folder(folder):
                return
            if not self._folders.has_file(folder, INIT):
                known = self._above.get(Path(folder))
                if known is None or len(place) < len(str(known)):
                    self._above[Path(folder)] = Path(place)

    def _holders(self, folder: str, parts: Sequence[str]) -> tuple[str, ...]:
        """The folders in which an import's first name is looked up, seen from a folder."""
        if parts[0] in LIBRARIES:
            return ()
        key = folder, *parts
        if key not in self._held:
            self._held[key] = self._find_holders(folder, parts)
        return self._held[key]

    def _find_holders(self, folder: str, parts: Sequence[str]) -> tuple[str, ...]:
        head, after = parts[0], parts[1] if len(parts) > 1 else ""
        doubtful: tuple[str, ...] = ()
        for place in self._reaching(folder, parts):
            if self._holds_package(place, head, after):
                return (place,)
            if self._folders.has_file(place, f"{head}.py"):
                if not after or after in self._folders.names_in(place, head):
                    return (place,)
                # `gencast/gencast.py` says `from gencast import mesh` of the folder.
                doubtful = doubtful or (place,)
        found = [os.path.dirname(each) for each in sorted(self._named.get(head, ()))]
        found = [each for each in found if self._holds_package(each, head, after)]
        return _nearest(folder, found) or doubtful

    def _places(self, folder: str) -> tuple[str, ...]:
        """The folders from which imports may start, the likeliest first."""
        if folder not in self._seen_from:
            found = dict.fromkeys((self._folders.package_root(folder), folder))
            place = folder
            while not self._folders.starts_project(place) and os.path.dirname(place) != place:
                place = os.path.dirname(place)
                found.setdefault(place)
                found.setdefault(inside(place, "src"))
            found.setdefault(inside(folder, "src"))
            self._seen_from[folder] = tuple(found)
        return self._seen_from[folder]

    def _reaching(self, folder: str, parts: Sequence[str]) -> list[str]:
        """The places from which most of an import is found.

        `tests/pk` is not what `from pk.core import Net` means where it has no `core`.
        """
        found = {place: self._depth(place, parts) for place in self._places(folder)}
        most = max(found.values(), default=0)
        return [place for place, depth in found.items() if depth == most]

    def _depth(self, place: str, parts: Sequence[str]) -> int:
        """How many parts of an import are found from a place."""
        folder = place
        for depth, part in enumerate(parts):
            inner = inside(folder, part)
            if self._folders.is_folder(inner):
                folder = inner
            elif self._folders.has_file(folder, f"{part}.py"):
                rest = parts[depth + 1 : depth + 2]
                return depth + 1 + self._defines(folder, part, rest)
            else:
                return depth + (depth > 0 and self._defines(folder, "__init__", parts[depth:]))
        return len(parts)

    def _defines(self, folder: str, stem: str, parts: Sequence[str]) -> bool:
        """Whether a file may have what an import takes out of it."""
        names = self._folders.names_in(folder, stem) if parts else frozenset()
        return "*" in names or not names.isdisjoint(parts[:1])

    def _holds_package(self, place: str, head: str, after: str) -> bool:
        folder = inside(place, head)
        if not self._folders.is_folder(folder):
            return False
        if self._folders.has_file(folder, INIT):
            return True
        return bool(after) and (
            self._folders.has_file(folder, f"{after}.py")
            or self._folders.is_folder(inside(folder, after))
        )

    def _meant(self, path: Path, data: bytes) -> dict[str, str]:
        folder, own = self._folder_of(path), self.module(path)
        found: dict[str, str] = {}
        longest: dict[str, list[str]] = {}
        for each in written_imports(data):
            parts = each.parts
            if not each.dots and parts and len(parts) > len(longest.get(parts[0], ())):
                longest[parts[0]] = parts
        for head, parts in longest.items():
            for start in self._holders(folder, parts) or self._loosely(folder, parts):
                module = self._module_in(start, head)
                if module not in {"", head, own} and self._is_taken(data, start, head):
                    found[head] = module
                    break
        return found

    def _loosely(self, folder: str, parts: Sequence[str]) -> tuple[str, ...]:
        """Folders of the same project that a script seems to put on the path: `import helper`."""
        if len(parts) > 2 or parts[0] in LIBRARIES:
            return ()
        if self._loose is None:
            self._loose = defaultdict(list)
            for group in self._groups:
                if Path(group.real) in self._above:
                    for name in group.names:
                        self._loose[name.removesuffix(".py")].append(group.real)
        own = self._folders.project_of(folder)
        places = [
            each for each in self._loose.get(parts[0], ()) if self._folders.project_of(each) == own
        ]
        return _nearest(folder, places)

    def _module_in(self, start: str, head: str) -> str:
        if self._folders.has_file(start, f"{head}.py"):
            return self.module(Path(start, f"{head}.py"))
        return self.package(inside(start, head))

    def _is_taken(self, data: bytes, start: str, head: str) -> bool:
        """Whether an import takes something out of a file that is there, where that is in doubt."""
        if head not in STANDARD and not self._folders.has_file(start, INIT):
            return True
        if not self._folders.has_file(start, f"{head}.py"):
            return head not in STANDARD
        taken = frozenset(taken_out_of(data, head))
        return "*" in taken or not self._folders.names_in(start, head).isdisjoint(taken)


def _nearest(folder: str, places: Collection[str]) -> tuple[str, ...]:
    """Those that have most of a folder's path."""
    parts = folder.split(os.sep)

    def shared(place: str) -> int:
        pairs = zip(parts, place.split(os.sep), strict=False)
        return next((i for i, (one, other) in enumerate(pairs) if one != other), len(parts))

    most = max(map(shared, places), default=0)
    return tuple(place for place in dict.fromkeys(places) if shared(place) == most)
