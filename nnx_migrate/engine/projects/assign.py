"""Which project a file is planned in: the files that are known together with it, and of those that
share a module name the nearest.

`examples/a/model.py` and `examples/b/model.py` are both "model" to the `train.py` beside them. A
`Project` takes the first of two files with one name, so each folder whose names collide gets a
project that lists its own files first; all other files of a group share one.
"""

from __future__ import annotations

import dataclasses
import gc
import pickle
import zlib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from nnx_migrate.engine.projects.connections import Imports, connected
from nnx_migrate.sources.kept_answers import read_answer

if TYPE_CHECKING:
    from nnx_migrate.analysis.facts import Analyses
    from nnx_migrate.analysis.ir.nodes import ModuleIndex
    from nnx_migrate.analysis.symbols.program import Project
    from nnx_migrate.sources.facts.observed_facts import ObservedFacts
    from nnx_migrate.sources.own_transforms import OwnTransform


#: Projects that are kept: files come folder by folder, so the one of a folder is soon done with.
_KEPT = 2
#: None of what is kept of them is a circle; in case one comes in, circles of objects are looked for
#: when so many indexes have been let go.
_WORTH_COLLECTING = 2000


@runtime_checkable
class Kept(Protocol):
    """A packed index that lies elsewhere."""

    def load(self) -> bytes:
        """Get it."""


@dataclasses.dataclass(frozen=True, slots=True)
class PlacedIndex:
    """The index of one file with what decides the project that it belongs to.

    Args:
        root: the folder that the file's imports start from.
        module: its dotted name.
        path: the file.
        imports: the dotted names that it imports.
        record: the `ModuleIndex`, pickled and compressed to wait or to travel, or what gets that.
        said: the digest of all that plans of other files may depend on; empty where that is not
            known.
    """

    root: Path
    module: str
    path: Path
    imports: tuple[str, ...]
    record: ModuleIndex | bytes | Kept
    said: bytes = b""

    def packed(self) -> PlacedIndex:
        """The same in a tenth of the memory, and shallow however deep the code is."""
        if isinstance(self.record, bytes | Kept):
            return self
        return dataclasses.replace(self, record=zlib.compress(pickle.dumps(self.record), 1))

    def unpacked(self) -> ModuleIndex:
        """The index itself.

        Raises:
            OSError: what was kept of it cannot be read any more.
        """
        packed = self.record.load() if isinstance(self.record, Kept) else self.record
        if isinstance(packed, bytes):
            try:
                record: ModuleIndex = read_answer(zlib.decompress(packed))
            except (zlib.error, ValueError):
                raise OSError(f"what was kept of {self.path} is damaged") from None
            return record
        return packed


class Projects:
    """All indexes of a run; those that belong together are unpacked together, one group at a time.

    Args:
        indexes: one for each file, in any order.
        facts: what runs have shown of them.
    """

    def __init__(self, indexes: Iterable[PlacedIndex], facts: ObservedFacts | None = None) -> None:
        self.facts = facts
        # A package hides a module of the same name, so packages come first.
        ordered = sorted(
            indexes,
            key=lambda index: (
                index.path.name != "__init__.py",
                str(index.root),
                index.module,
                str(index.path),
            ),
        )
        self._placed: dict[Path, tuple[int, Path, str]] = {}
        self._members: dict[int, list[PlacedIndex]] = defaultdict(list)
        for index, group in zip(ordered, connected(list(map(_imports, ordered))), strict=True):
            self._placed[index.path] = group, index.root, index.module
            self._members[group].append(index)
        self._open: tuple[int, _Group] | None = None
        self._let_go = 0

    def group(self, path: Path) -> int:
        """The number of the group that a file is known with; files are best planned by it."""
        return self._placed[path][0]

    def module(self, path: Path) -> str:
        """The dotted name of a file."""
        return self._placed[path][2]

    def loaded(self) -> Projects:
        """The same for a machine that does not see what lies elsewhere on this one."""
        indexes = (
            dataclasses.replace(index, record=index.record.load())
            if isinstance(index.record, Kept)
            else index
            for members in self._members.values()
            for index in members
        )
        return Projects(indexes, self.facts)

    def members(self, group: int) -> Sequence[PlacedIndex]:
        """The files of a group, in an order that does not depend on how they were found."""
        return self._members[group]

    def around(self, path: Path, transforms: tuple[OwnTransform, ...] = ()) -> Project:
        """Return the project in which a file is planned.

        Args:
            path: the file, as its index has it.
            transforms: those of the project's own.
        """
        number, root, _ = self._placed[path]
        if self._open is None or self._open[0] != number:
            self._close()
            self._open = number, _Group(self._members[number], self.facts)
        return self._open[1].around(root, transforms)

    def analyses(self) -> Analyses | None:
        """What is known of these projects already; None where nothing is."""
        return None

    def _close(self) -> None:
        if self._open is None:
            return
        self._let_go += len(self._members[self._open[0]])
        self._open = None
        if self._let_go > _WORTH_COLLECTING:
            gc.collect()
            self._let_go = 0


class _Group:
    """Files that are known together, and the projects of the folders among them."""

    def __init__(self, indexes: Iterable[PlacedIndex], facts: ObservedFacts | None) -> None:
        from nnx_migrate.analysis.symbols.occurrence_index import NameTables, defined_in

        self._facts = facts
        self._records = [(index.root, index.unpacked()) for index in indexes]
        roots_of: dict[str, set[Path]] = defaultdict(set)
        for root, record in self._records:
            roots_of[record.module].add(root)
        self._colliding = {root for roots in roots_of.values() if len(roots) > 1 for root in roots}
        defined = defined_in(record for _, record in self._records)
        parts: dict[Path | None, list[ModuleIndex]] = defaultdict(list)
        for root, record in self._records:
            parts[self._own(root)].append(record)
        self._tables = tuple(NameTables(records, defined) for records in parts.values())
        self._built: dict[
            tuple[Path | None, tuple[OwnTransform, ...]], Project
        ] = {}  # the last used is the last

    def _own(self, root: Path) -> Path | None:
        return root if root in self._colliding else None

    def around(self, root: Path, transforms: tuple[OwnTransform, ...]) -> Project:
        key = self._own(root), transforms
        if key in self._built:
            self._built[key] = self._built.pop(key)
        else:
            project = self._build(key[0])
            if transforms:
                project = project.with_wrappers(transforms)
            self._built[key] = project.with_facts(self._facts) if self._facts else project
            if len(self._built) > _KEPT:
                del self._built[next(iter(self._built))]
        return self._built[key]

    def _build(self, own_root: Path | None) -> Project:
        from nnx_migrate.analysis.symbols.program import Project

        own = [record for root, record in self._records if root == own_root]
        rest = [record for root, record in self._records if root != own_root]
        project = Project([*own, *rest], self._tables)
        # Of ten copies of a tree, nine have nothing in the project of the tenth.
        project.tables = tuple(t for t in project.tables if any(map(project.holds, t.records)))
        return project


def _imports(index: PlacedIndex) -> Imports:
    return Imports(index.root, index.module, index.path.name == "__init__.py", index.imports)
