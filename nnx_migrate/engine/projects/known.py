"""What is known of files between runs of one process, such as a language server's.

A file is indexed again when its bytes, the place that its imports start from, or what becomes of
its pins have changed. Where the analysis sees no difference, as in a comment or the text of a
docstring, the project is the one of before, with all that was computed of it. Where no file has
changed at all, so is the result of a file that was asked for already.
"""

from __future__ import annotations

import dataclasses
import enum
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from nnx_migrate.core.findings import FileResult, FileStatus
from nnx_migrate.core.pins import Unpin
from nnx_migrate.engine.discover import Indexed, IndexTask, index_file
from nnx_migrate.engine.plan_file import PlanTask
from nnx_migrate.engine.projects.assign import PlacedIndex, Projects
from nnx_migrate.engine.projects.surroundings import Surroundings
from nnx_migrate.sources.configuration import Options
from nnx_migrate.sources.documents.kinds import is_document
from nnx_migrate.sources.facts.observed_facts import ObservedFacts
from nnx_migrate.sources.imports.module_names import Place
from nnx_migrate.sources.walk.disk_state import DiskState

if TYPE_CHECKING:
    from nnx_migrate.engine.projects.edited import EditedFiles

#: Versions of a file that are kept: an editor has one, and the disk another.
_VERSIONS = 2
#: Results that are kept: about as many as an editor has files open.
_RESULTS = 64
#: What was shown of a file by looking at it; any other end may be another one the next time.
_LASTING = frozenset({FileStatus.CHANGED, FileStatus.SKIPPED, FileStatus.UNCHANGED})


@dataclasses.dataclass(frozen=True, slots=True)
class _Kept:
    digest: bytes
    place: Place
    indexed: Indexed


@dataclasses.dataclass(frozen=True, slots=True)
class _Around:
    """The files of a run, what runs have shown of them, and the digests of their bytes."""

    indexes: tuple[PlacedIndex, ...]
    facts: ObservedFacts | None
    digests: Mapping[Path, bytes]

    def looks_like(self, other: _Around) -> bool:
        """Whether all files are to the analysis what they were."""
        same = len(self.indexes) == len(other.indexes) and self.facts is other.facts
        return same and all(map(operator.is_, self.indexes, other.indexes))

    def is_still(self, other: _Around) -> bool:
        """Whether all files are as they were."""
        return self.looks_like(other) and self.digests == other.digests


class Look(enum.Enum):
    """How a text is looked at."""

    #: After an edit that other files feel, all is found anew.
    WHOLE = enum.auto()
    #: After such an edit, other files count for what they did before it. They are not read where
    #: the system says that they are as they were.
    AT_ONCE = enum.auto()
    #: As WHOLE, and what edits of this file leave as it is is told apart before the first one.
    FOR_EDITS = enum.auto()


class KnownFiles:
    """Indexes of files, and the projects that they make up; give one to each of several runs.

    It grows with the files that it is asked about, and is for one thread.

    Args:
        edited: of so many files it is kept what holds while they are edited.

    Attributes:
        look: how the next texts are looked at.
        is_preliminary: whether a look `FOR_EDITS` may tell more than the last one, or would make
            the next one faster.
    """

    def __init__(self, edited: int = 0) -> None:
        self.look = Look.WHOLE
        self.is_preliminary = False
        self.edited: EditedFiles | None = _edited_files(edited) if edited else None
        self._kept: dict[tuple[Path, Unpin], list[_Kept]] = {}
        self._around = _Around((), None, {})
        self._digests: dict[Path, bytes] = {}
        self._projects: Projects | None = None
        self._surroundings: Surroundings | None = None
        self._results: dict[Path, tuple[PlanTask, _Around, FileResult]] = {}

    def index(self, task: IndexTask) -> Indexed:
        """The facts of one file, taken anew where it has changed.

        Args:
            task: names the file.
        """
        versions = self._kept.setdefault((task.path, task.unpin), [])
        digest = self._digests[task.path] = task.digest()
        for kept in versions:
            if (kept.digest, kept.place) == (digest, task.place):
                break
        else:
            kept = _Kept(digest, task.place, _seen_before(index_file(task), task.place, versions))
            if kept.indexed.failure is None:  # it may be another one the next time
                versions[:] = [*versions[1 - _VERSIONS :], kept]
        return dataclasses.replace(kept.indexed, wanted=task.wanted)

    def around(
        self, path: Path, data: bytes, options: Options
    ) -> tuple[IndexTask, Sequence[Indexed]] | None:
        """The task of a text, and the files around it, where a hasty look may leave these unread.

        Args:
            path: of the text.
            data: its bytes.
            options: what counts for it.
        """
        kept = self._surroundings
        if kept is None or self.look is not Look.AT_ONCE:
            return None
        task = kept.task_for(path, data, options)
        if task is None:
            return None
        self._digests.update((each.path, each.digest) for each in kept.others)
        return task, kept.others

    def keep_around(
        self,
        task: IndexTask,
        options: Options,
        others: Sequence[Indexed],
        folders: Iterable[str],
        begun: int,
    ) -> None:
        """Keep the files around a text for the next hasty look.

        Args:
            task: the text.
            options: what counts for it.
            others: the files around it.
            folders: the real paths of all folders that were looked into.
            begun: when that began, in nanoseconds.
        """
        state = DiskState.of(folders)
        settled = state.was_settled(begun)
        found = Surroundings(task, options, tuple(others), state)
        self._surroundings = found if settled and not is_document(task.path) else None

    def projects(
        self,
        indexes: Iterable[PlacedIndex],
        facts: ObservedFacts | None,
        task: IndexTask | None = None,
    ) -> Projects:
        """The projects of these files; those of before where all files are as they were.

        Args:
            indexes: one for each file, in any order.
            facts: what runs have shown of them.
            task: the file that is edited.
        """
        ordered = tuple(sorted(indexes, key=lambda each: str(each.path)))
        around = _Around(ordered, facts, self._digests)
        self._digests = {}
        if self._projects is not None and around.looks_like(self._around):
            # Nothing has changed, so what would last over edits of this file may not be known.
            told_apart = self.edited is None or task is None or self.edited.knows(task.path)
            self.is_preliminary = self.look is Look.AT_ONCE and not told_apart
            if told_apart or self.look is not Look.FOR_EDITS:
                self._around = around
                return self._projects
        found = None
        if self.edited is not None and facts is None and task is not None:
            found = self.edited.projects(ordered, task, at_once=self.look is Look.AT_ONCE)
        self.is_preliminary = found is not None and found.is_preliminary
        projects = Projects(around.indexes, facts) if found is None else found
        if not self.is_preliminary:
            self._around, self._projects = around, projects
        return projects

    def result(self, task: PlanTask, plan: Callable[[PlanTask], FileResult]) -> FileResult:
        """The result of a file; that of before where all files are as they were.

        Args:
            task: names the file, which is one of those of the last projects.
            plan: decides what becomes of it.
        """
        if self.is_preliminary:
            return plan(task)
        known = self._results.pop(task.path, None)
        if known is not None and known[0] == task and self._around.is_still(known[1]):
            found = known[2]
        else:
            found = plan(task)
        # What is installed may change, and nobody sees that it did.
        if found.status in _LASTING and not task.options.follow_installed:
            self._results[task.path] = task, self._around, found
            for oldest in list(self._results)[:-_RESULTS]:
                del self._results[oldest]
        return found


def _edited_files(most: int) -> EditedFiles:
    from nnx_migrate.engine.projects.edited import EditedFiles

    return EditedFiles(most)


def _seen_before(indexed: Indexed, place: Place, versions: Iterable[_Kept]) -> Indexed:
    """The same, with the index of an earlier version that reads the same, lines and columns too."""
    for each in versions:
        before, index = each.indexed.index, indexed.index
        if before is None or index is None or each.place != place:
            continue
        if before.record == index.record:
            return dataclasses.replace(indexed, index=before)
    return indexed
