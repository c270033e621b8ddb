"""Which project a file is planned in, when scripts in several folders share a module name.

`examples/a/model.py` and `examples/b/model.py` are both "model" to the `train.py` beside them. A
`Project` takes the first of two files with one name, so each folder whose names collide gets a
project that lists its own files first; all other files share one.
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
    from nnx_migrate.facts.project import Project


@dataclasses.dataclass(frozen=True, slots=True)
class PackedIndex:
    """The index of one file as it travels between processes.

    Args:
        root: the folder that the file's imports start from.
        module: its dotted name.
        path: the file.
        record: the pickled `ModuleIndex`; unpacked only where files are planned.
    """

    root: Path
    module: str
    path: Path
    record: bytes


class Projects:
    """All indexes of a run; picklable, and shallow however deep the code is.

    Args:
        indexes: one for each file, in any order.
    """

    def __init__(self, indexes: Iterable[PackedIndex]) -> None:
        # A package hides a module of the same name, so packages come first.
        self._indexes = sorted(
            indexes,
            key=lambda index: (index.path.name != "__init__.py", str(index.root), str(index.path)),
        )
        roots_of: dict[str, set[Path]] = defaultdict(set)
        for index in self._indexes:
            roots_of[index.module].add(index.root)
        self._colliding = {root for roots in roots_of.values() if len(roots) > 1 for root in roots}
        self._unpacked: list[ModuleIndex] = []
        self._built: dict[Path | None, Project] = {}

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "_unpacked": [], "_built": {}}

    def around(self, root: Path) -> Project:
        """Return the project in which files whose imports start from `root` are planned."""
        from nnx_migrate.facts.project import Project

        if not self._unpacked:
            self._unpacked = [pickle.loads(index.record) for index in self._indexes]
        key = root if root in self._colliding else None
        if key not in self._built:
            pairs = list(zip(self._indexes, self._unpacked, strict=True))
            own = [record for index, record in pairs if index.root == key]
            rest = [record for index, record in pairs if index.root != key]
            self._built[key] = Project([*own, *rest])
        return self._built[key]
