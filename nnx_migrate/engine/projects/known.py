"""What is known of files between runs of one process, such as a language server's.

A file is indexed again when its bytes, the place that its imports start from, or what becomes of
its pins have changed. Where nothing has, the project is the one of before, with all that was
computed of it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from pathlib import Path

from nnx_migrate.core.pins import Unpin
from nnx_migrate.engine.discover import Indexed, IndexTask, index_file
from nnx_migrate.engine.projects.assign import PlacedIndex, Projects
from nnx_migrate.sources.imports.module_names import Place
from nnx_migrate.sources.observed_facts import ObservedFacts


@dataclasses.dataclass(frozen=True, slots=True)
class _Kept:
    digest: bytes
    place: Place
    indexed: Indexed


class KnownFiles:
    """Indexes of files, and the projects that they make up; give one to each of several runs.

    It grows with the files that it is asked about, and is for one thread.
    """

    def __init__(self) -> None:
        self._kept: dict[tuple[Path, Unpin], _Kept] = {}
        self._projects: tuple[tuple[PlacedIndex, ...], ObservedFacts | None, Projects] | None = None

    def index(self, task: IndexTask) -> Indexed:
        """The facts of one file, taken anew where it has changed.

        Args:
            task: names the file.
        """
        key = task.path, task.unpin
        digest = task.digest()
        kept = self._kept.get(key)
        if kept is None or (kept.digest, kept.place) != (digest, task.place):
            kept = _Kept(digest, task.place, index_file(task))
            self._kept[key] = kept
            if kept.indexed.failure is not None:
                del self._kept[key]  # it may be another one the next time
        return dataclasses.replace(kept.indexed, wanted=task.wanted)

    def projects(self, indexes: Iterable[PlacedIndex], facts: ObservedFacts | None) -> Projects:
        """The projects of these files; those of before where all files are as they were.

        Args:
            indexes: one for each file.
            facts: what runs have shown of them.
        """
        asked = tuple(indexes)
        if self._projects is not None:
            before, known, projects = self._projects
            same = len(before) == len(asked) and all(map(_is, before, asked))
            if same and known is facts:
                return projects
        projects = Projects(asked, facts)
        self._projects = asked, facts, projects
        return projects


def _is(one: object, other: object) -> bool:
    return one is other
