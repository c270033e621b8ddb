"""Deciding what becomes of one file: the work of the processes in the second half of a run."""

from __future__ import annotations

import dataclasses
import functools
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
    from nnx_migrate.analysis.symbols.program import Project
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


# Held by each worker process for all the files that it plans.
_projects: list[Projects] = []
_wanted: dict[Path, PlanTask] = {}


def set_projects(projects: Projects, wanted: Mapping[Path, PlanTask]) -> None:
    """Give a process what `plan_file` looks at.

    Args:
        projects: what is known of all files.
        wanted: the files that may change.
    """
    _projects[:] = [projects]
    _wanted.clear()
    _wanted.update(wanted)
    _reader.cache_clear()  # what others see of a file hangs on which may change


@functools.lru_cache(maxsize=2)
def _reader(project: Project) -> Reader:
    """The files of a project, as they were indexed."""
    from nnx_migrate.rewrite.model.context import Readable
    from nnx_migrate.rewrite.pinned.withdrawn import withdrawn

    def read(module: str) -> Readable | None:
        path = Path(project.path_of(module))
        task = _wanted.get(path)
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
    from nnx_migrate.analysis.facts import analysis_of

    try:
        with time_limit(task.options.timeout):
            return plan_file(task)
    except TookTooLong:
        # What was found out by then is whole in no table: the next file begins anew.
        for known in (analysis_of, _reader):
            known.cache_clear()
        return too_slow(task.path, task.options.timeout)


def plan_file(task: PlanTask) -> FileResult:
    """Decide what becomes of a file; whatever goes wrong is its result."""
    from nnx_migrate.engine.documents.migrate import plan_document, plan_with_doctests
    from nnx_migrate.engine.migrate import plan
    from nnx_migrate.engine.projects.redefined import redefined

    path = task.path
    try:
        data = read_file(path) if task.data is None else task.data
        if digest_of(data) != task.digest:
            return changed_meanwhile(path)
        module = _projects[0].module(path)
        project = _projects[0].around(path, task.options.transforms)
        read = _reader(project)
        met = redefined(project, module, read)
        project, classes = met.project, met.classes
        if is_document(path):
            document = read_document(path, data)
            return plan_document(document, module, project, task.options, read)
        source = decode(path, data)
        if task.options.docs:
            return plan_with_doctests(source, module, project, task.options, read, classes)
        return plan(source, module, project, task.options, read=read, classes=classes)
    except Exception as error:
        return failure_of(path, error)


def plan_crashed(task: PlanTask) -> FileResult:
    """The result of a file whose process died."""
    return crash(task.path)
