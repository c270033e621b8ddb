"""Which project a file is planned in, when scripts in several folders share a module name.

`examples/a/model.py` and `examples/b/model.py` are both "model" to the `train.py` beside them. A
`Project` takes the first of two files with one name, so each folder whose names collide gets a
project that lists its own files first; all other files share one.

Flax's own source, where it is among the files, is a library to all files but its own: what is known
of it is in the tables that were made from it, and the calls in it tell nothing of user code.
"""

from __future__ import annotations

import dataclasses
import pickle
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nnx_migrate.facts.ir import ModuleIndex
    from nnx_migrate.facts.name_tables import NameTables
    from nnx_migrate.facts.project import Project


#: Projects that are kept: files come folder by folder, so the one of a folder is soon done with.
_KEPT = 2


@dataclasses.dataclass(frozen=True, slots=True)
class PlacedIndex:
    """The index of one file with what decides the project that it belongs to.

    Args:
        root: the folder that the file's imports start from.
        module: its dotted name.
        path: the file.
        record: the `ModuleIndex`, pickled when it is to travel between processes.
    """

    root: Path
    module: str
    path: Path
    record: ModuleIndex | bytes

    def packed(self) -> PlacedIndex:
        """The same, as it travels between processes: shallow however deep the code is."""
        return dataclasses.replace(self, record=pickle.dumps(self.record))

    def unpacked(self) -> ModuleIndex:
        if isinstance(self.record, bytes):
            record: ModuleIndex = pickle.loads(self.record)
            return record
        return self.record


class Projects:
    """All indexes of a run; picklable, and shallow however deep the code is.

    Args:
        indexes: one for each file, in any order.
    """

    def __init__(self, indexes: Iterable[PlacedIndex]) -> None:
        # A package hides a module of the same name, so packages come first.
        self._indexes = sorted(
            indexes,
            key=lambda index: (index.path.name != "__init__.py", str(index.root), str(index.path)),
        )
        roots_of: dict[str, set[Path]] = defaultdict(set)
        for index in self._indexes:
            roots_of[index.module].add(index.root)
        self._colliding = {root for roots in roots_of.values() if len(roots) > 1 for root in roots}
        self._tables: dict[Path | None, NameTables] = {}
        self._built: dict[tuple[Path | None, bool], Project] = {}  # the last used is the last

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "_tables": {}, "_built": {}}

    def around(self, root: Path, module: str) -> Project:
        """Return the project in which a file is planned.

        Args:
            root: the folder that its imports start from.
            module: its dotted name.
        """
        own_root = root if root in self._colliding else None
        key = own_root, _is_flax(module)
        if key in self._built:
            self._built[key] = self._built.pop(key)
        else:
            if not self._tables:
                self._unpack()
            self._built[key] = self._build(own_root, _is_flax(module))
            if len(self._built) > _KEPT:
                del self._built[next(iter(self._built))]
        return self._built[key]

    def _unpack(self) -> None:
        from nnx_migrate.facts.name_tables import NameTables, defined_in

        # In the place of the bytes, which nothing else keeps alive.
        for i, index in enumerate(self._indexes):
            self._indexes[i] = dataclasses.replace(index, record=index.unpacked())
        defined = defined_in(index.unpacked() for index in self._indexes)
        groups: dict[Path | None, list[ModuleIndex]] = defaultdict(list)
        for index in self._indexes:
            group = index.root if index.root in self._colliding else None
            groups[group].append(index.unpacked())
        self._tables = {root: NameTables(records, defined) for root, records in groups.items()}

    def _build(self, own_root: Path | None, of_flax: bool) -> Project:
        from nnx_migrate.facts.project import Project

        seen = [index for index in self._indexes if of_flax or not _is_flax(index.module)]
        own = [index.unpacked() for index in seen if index.root == own_root]
        rest = [index.unpacked() for index in seen if index.root != own_root]
        project = Project([*own, *rest], tuple(self._tables.values()))
        # Of ten copies of a tree, nine have nothing in the project of the tenth.
        project.tables = tuple(t for t in project.tables if any(map(project.holds, t.records)))
        return project


def _is_flax(module: str) -> bool:
    return module == "flax" or module.startswith("flax.")
