"""Which project a file is planned in, when scripts in several folders share a module name.

`examples/a/model.py` and `examples/b/model.py` are both "model" to the `train.py` beside them. A
`Project` takes the first of two files with one name, so each folder whose names collide gets a
project that lists its own files first; all other files share one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nnx_migrate.facts.ir import ModuleIndex
    from nnx_migrate.facts.project import Project


class Projects:
    """All indexes of a run; picklable.

    Args:
        indexes: each file's record with the folder that its imports start from.
    """

    def __init__(self, indexes: Iterable[tuple[Path, ModuleIndex]]) -> None:
        # A package hides a module of the same name, so packages come first.
        self._indexes = sorted(
            indexes, key=lambda pair: (not pair[1].is_package, str(pair[0]), pair[1].path)
        )
        roots_of: dict[str, set[Path]] = defaultdict(set)
        for root, index in self._indexes:
            roots_of[index.module].add(root)
        self._colliding = {root for roots in roots_of.values() if len(roots) > 1 for root in roots}
        self._built: dict[Path | None, Project] = {}

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "_built": {}}

    def around(self, root: Path) -> Project:
        """Return the project in which files whose imports start from `root` are planned."""
        from nnx_migrate.facts.project import Project

        key = root if root in self._colliding else None
        if key not in self._built:
            own = [index for folder, index in self._indexes if folder == key]
            rest = [index for folder, index in self._indexes if folder != key]
            self._built[key] = Project([*own, *rest])
        return self._built[key]
