"""Deciding what becomes of one file: the work of the processes in the second half of a run."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from nnx_migrate.core.findings import FileResult
from nnx_migrate.engine.failures import changed_meanwhile, crash, failure_of, too_slow
from nnx_migrate.engine.projects.assign import Projects
from nnx_migrate.engine.time_limit import TookTooLong, time_limit
from nnx_migrate.sources.configuration import Options
from nnx_migrate.sources.documents.kinds import is_document, read_document
from nnx_migrate.sources.text import UndecodableSource, decode
from nnx_migrate.sources.walk.scanning import digest_of, read_file

if TYPE_CHECKING:
    from nnx_migrate.analysis.facts import Analyses
    from nnx_migrate.analysis.symbols.program import Project
    from nnx_migrate.engine.projects.redefined import Redefinitions
    from nnx_migrate.rewrite.model.context import Readable, Reader


@dataclasses.dataclass(frozen=True, slots=True)
class PlanTask:
    """A file that is to be planned.

    Args:
        path: the file.
        digest: of the bytes that were indexed; with others it is not planned.
        options: what counts for it.
        data: its bytes, where they are not those on disk.
    """

    path: Path
    digest: bytes
    options: Options
    data: bytes | None = None


#: Of so many projects it is known at a time what their files meet.
_KEPT = 2


class _Planning:
    """What a process finds out once for all the files that it plans.

    Args:
        projects: what is known of all files.
        wanted: the files that may change.
        analyses: those that were made of these projects before.
    """

    def __init__(
        self,
        projects: Projects,
        wanted: Mapping[Path, PlanTask],
        analyses: Analyses | None = None,
    ) -> None:
        self.projects = projects
        self._wanted = wanted
        self._analyses = analyses
        self._redefinitions: list[Redefinitions] = []

    @property
    def analyses(self) -> Analyses:
        from nnx_migrate.analysis.facts import Analyses

        if self._analyses is None:
            self._analyses = self.projects.analyses() or Analyses()
        return self._analyses

    def redefinitions(self, project: Project) -> Redefinitions:
        """What the files of a project meet, and how they are read."""
        from nnx_migrate.engine.projects.redefined import Redefinitions

        found = next((each for each in self._redefinitions if each.project is project), None)
        if found is None:
            found = Redefinitions(project, _reader(project, self._wanted), self.analyses)
        others = [each for each in self._redefinitions if each is not found]
        self._redefinitions = [*others[1 - _KEPT :], found]
        return found

    def forget(self) -> None:
        """Drop what was found out: some of it may not be whole."""
        self._analyses = None
        self._redefinitions = []


# Held by each worker process.
_planning: list[_Planning] = []


def set_projects(projects: Projects, wanted: Mapping[Path, PlanTask]) -> None:
    """Give a process what `plan_file` looks at.

    Args:
        projects: what is known of all files.
        wanted: the files that may change.
    """
    # What others see of a file hangs on which may change; what their code means does not.
    known = [each.analyses for each in _planning if each.projects is projects]
    _planning[:] = [_Planning(projects, wanted, *known)]


def _reader(project: Project, wanted: Mapping[Path, PlanTask]) -> Reader:
    """The files of a project, as they were indexed."""
    from nnx_migrate.rewrite.model.context import Readable
    from nnx_migrate.rewrite.pinned.withdrawn import withdrawn

    def read(module: str) -> Readable | None:
        path = Path(project.path_of(module))
        task = wanted.get(path)
        try:
            data = read_file(path) if task is None or task.data is None else task.data
            if task is not None and digest_of(data) != task.digest:
                return None
            if is_document(path):
                return None
            source = decode(path, data)
            if task is None:
                return Readable(source, None)
            return Readable(withdrawn(source, task.options.withdraws).source, task.options)
        except (OSError, UndecodableSource, SyntaxError):
            return None

    return read


def plan_file_in_time(task: PlanTask) -> FileResult:
    """The same, within the time that the options give it."""
    try:
        with time_limit(task.options.timeout):
            return plan_file(task)
    except TookTooLong:
        # What was found out by then is whole in no table: the next file begins anew.
        _planning[0].forget()
        return too_slow(task.path, task.options.timeout)


def plan_file(task: PlanTask) -> FileResult:
    """Decide what becomes of a file; whatever goes wrong is its result."""
    from nnx_migrate.engine.documents.migrate import plan_document, plan_with_doctests
    from nnx_migrate.engine.migrate import plan

    path, planning = task.path, _planning[0]
    try:
        data = read_file(path) if task.data is None else task.data
        if digest_of(data) != task.digest:
            return changed_meanwhile(path)
        module = planning.projects.module(path)
        redefinitions = planning.redefinitions(
            planning.projects.around(path, task.options.transforms)
        )
        met, read = redefinitions.met_by(module), redefinitions.read
        project, classes, analyses = met.project, met.classes, planning.analyses
        if is_document(path):
            document = read_document(path, data)
            return plan_document(document, module, project, task.options, analyses, read)
        source = decode(path, data)
        if task.options.docs:
            return plan_with_doctests(
                source, module, project, task.options, analyses, read, classes
            )
        return plan(source, module, project, task.options, analyses, read=read, classes=classes)
    except Exception as error:
        return failure_of(path, error)


def plan_crashed(task: PlanTask) -> FileResult:
    """The result of a file whose process died."""
    return crash(task.path)
