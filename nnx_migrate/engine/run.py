"""The run: find, index, plan, write. A file that fails costs that file and is never silent.

Facts are taken from the whole project around the named paths, so that doing one file gives what
doing the whole tree gives for it. Files outside the named paths are read and indexed, never changed
and never reported.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from nnx_migrate.core.deep_stack import run_deep
from nnx_migrate.core.findings import FileResult, FileStatus
from nnx_migrate.core.permissions import Permission
from nnx_migrate.core.totals import RunResult, count
from nnx_migrate.engine.discover import (
    Indexed,
    Progress,
    Watch,
    Watched,
    excludes_of,
    find,
    index_crashed,
    index_packed,
    to_index,
)
from nnx_migrate.engine.plan_file import PlanTask, plan_crashed, plan_file_in_time, set_projects
from nnx_migrate.engine.projects.assign import Projects
from nnx_migrate.engine.projects.known import KnownFiles
from nnx_migrate.engine.workers import Workers, uncollected
from nnx_migrate.engine.write_results import finish
from nnx_migrate.rewrite.model.active_rules import require_rules
from nnx_migrate.sources.config_values import ConfigError
from nnx_migrate.sources.configuration import Configuration
from nnx_migrate.sources.documents.kinds import is_document, read_document
from nnx_migrate.sources.imports.module_names import place_of, project_root
from nnx_migrate.sources.text import UndecodableSource, decode
from nnx_migrate.sources.walk.discovery import Candidate, Walk
from nnx_migrate.sources.walk.scanning import read_file
from nnx_migrate.sources.write import Writer

if TYPE_CHECKING:
    from nnx_migrate.analysis.symbols.program import Project
    from nnx_migrate.engine.cache.user_cache import UsersAnswers
    from nnx_migrate.rewrite.model.context import Readable, Reader


def run(
    paths: Sequence[Path],
    configuration: Configuration,
    *,
    write: Writer | None,
    jobs: int = 1,
    progress: Progress | None = None,
    watch: Watch | None = None,
    cached: bool = False,
) -> RunResult:
    """Migrate the Python files at and below `paths`.

    Args:
        paths: files and folders; one that does not exist is a finding, the others are still done.
        configuration: what counts for each file.
        write: replaces a file that changes; without it nothing on disk is touched.
        jobs: worker processes.
        progress: called with the stage, how many files are done, and how many there are.
        watch: called with each file when the work on it begins, and with None when it ends, in
            the process that does it.
        cached: take what earlier runs of this user have found out, and keep what this one does.

    Raises:
        ConfigError: a pyproject.toml on the way up from a file cannot be obeyed.
    """
    show = progress or _silent
    with uncollected(), _answers(configuration, cached=cached) as known:
        if jobs == 1:
            return run_deep(_run, paths, configuration, write, jobs, show, watch, known)
        # Processes are forked from here, and a process with threads is not safe to fork.
        return _run(paths, configuration, write, jobs, show, watch, known)


def run_text(
    data: bytes, path: Path, configuration: Configuration, known: KnownFiles | None = None
) -> FileResult:
    """Migrate one text that was not read from disk, as if it stood at `path`.

    Args:
        data: the bytes of the file.
        path: where it belongs; the project around it gives the facts.
        configuration: what counts for that path.
        known: keeps what is known of files for the next run.

    Raises:
        ConfigError: a pyproject.toml on the way up from the path cannot be obeyed.
    """
    with uncollected():
        return run_deep(_run_text, data, path, configuration, known or KnownFiles())


def explain_line(path: Path, line: int, configuration: Configuration, cell: int = 0) -> str:
    """Say what is known of the sites at a line of a file, and why they end as they do.

    Args:
        path: the file.
        line: 1-based, in the file or, with `cell`, in that cell of the notebook.
        configuration: what counts for that path.
        cell: 1-based number of a cell, or 0.

    Raises:
        ConfigError: the file cannot be read, or a pyproject.toml cannot be obeyed.
    """
    return run_deep(_explain, path, line, cell, configuration)


def _run(
    paths: Sequence[Path],
    configuration: Configuration,
    write: Writer | None,
    jobs: int,
    progress: Progress,
    watch: Watch | None,
    known: UsersAnswers | None,
) -> RunResult:
    watched = Watched(watch) if watch is not None else None
    indexing = None
    if known is not None:
        indexing = known.indexing(Workers(index_packed, jobs, index_crashed, watch=watched))
    found = find(paths, configuration, jobs, progress, indexing, watch)
    ruled = [(task.path, task.options) for task in found.tasks]
    require_rules(configuration, ruled, loaded=known is None)
    results = found.results
    wanted = {task.path: task for task in found.tasks}
    planners = Workers(
        plan_file_in_time,
        jobs,
        plan_crashed,
        set_projects,
        (found.projects, wanted),
        watch=watched,
    )
    if any(task.options.allows(Permission.FORK_RNGS) for task in found.tasks):
        known = None  # what a file becomes hangs on which others are named, which no key holds
    if known is not None:
        memory = known.results(found.projects, wanted)
        if not memory.knows(found.tasks):
            # Before anything is written.
            require_rules(configuration, ruled)
        planned = memory.planning(planners, found.tasks)
    else:
        planned = planners.map(found.tasks)
    for done, result in enumerate(planned, start=1):
        progress("planning", done, len(found.tasks))
        results.append(finish(result, write))
    results.sort(key=lambda result: str(result.path))
    return RunResult(tuple(results), count(results, found.looked_at), found.missing)


def _answers(
    configuration: Configuration, *, cached: bool
) -> contextlib.AbstractContextManager[UsersAnswers | None]:
    # What runs have shown is no part of any key.
    if not cached or configuration.facts is not None:
        return contextlib.nullcontext()
    from nnx_migrate.engine.cache.user_cache import users_answers

    return users_answers()


def _run_text(
    data: bytes, path: Path, configuration: Configuration, known: KnownFiles
) -> FileResult:
    options = configuration.options_for(path)
    require_rules(configuration, [(path, options)])
    own, projects = _read_around(path, data, configuration, known)
    if own.failure is not None:
        return dataclasses.replace(own.failure, before=data, after=data)
    task = PlanTask(path, own.digest, options, data)
    set_projects(projects, {path: task})
    result = known.result(task, plan_file_in_time)
    if result.status is FileStatus.CHANGED:
        return result
    return dataclasses.replace(result, before=data, after=data)


def _explain(path: Path, line: int, cell: int, configuration: Configuration) -> str:
    from nnx_migrate.engine.documents.migrate import explain_document
    from nnx_migrate.engine.explain import explain

    try:
        data = read_file(path)
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}") from None
    own, projects = _read_around(path, data, configuration, KnownFiles())
    if own.failure is not None:
        raise ConfigError(f"{path}: {own.failure.reason}")
    options = configuration.options_for(path)
    module, project = projects.module(path), projects.around(path, options.transforms)
    require_rules(configuration, [(path, options)])
    if is_document(path):
        document = read_document(path, data)
        return explain_document(document, module, project, options, line, cell)
    read = _reader_of(project, configuration)
    return explain(decode(path, data), module, project, options, line, read)


def _reader_of(project: Project, configuration: Configuration) -> Reader:
    """The files of a project, all of which may change."""
    from nnx_migrate.rewrite.model.context import Readable
    from nnx_migrate.rewrite.pinned.withdrawn import withdrawn

    def read(module: str) -> Readable | None:
        path = Path(project.path_of(module))
        options = configuration.options_for(path)
        try:
            source = None if is_document(path) else decode(path, read_file(path))
        except (OSError, UndecodableSource, SyntaxError):
            return None
        if source is None:
            return None
        return Readable(withdrawn(source, options.withdraws).source, options)

    return read


def _read_around(
    path: Path, data: bytes, configuration: Configuration, known: KnownFiles
) -> tuple[Indexed, Projects]:
    """The facts of one file, whose text may be another than on disk, and of those around it."""
    options = configuration.options_for(path)
    kept = known.around(path, data, options)
    if kept is not None:
        first, others = kept
        own = known.index(first)
    else:
        begun = time.time_ns()
        walk = Walk([project_root(path)], excludes_of(configuration, lenient=True))
        first, *tasks = to_index(walk, [], configuration, extra=Candidate(path, data))
        own = known.index(first)
        others = [known.index(task) for task in tasks if place_of(task.path) != place_of(path)]
        known.keep_around(first, options, others, filter(os.path.isdir, walk.seen), begun)
    indexes = [each.index for each in (own, *others) if each.index is not None]
    return own, known.projects(indexes, configuration.facts, first)


def _silent(stage: str, done: int, total: int) -> None:
    """Show no progress."""


def pending(results: Iterable[FileResult]) -> bool:
    """Return whether any file would change."""
    return any(result.status is FileStatus.CHANGED for result in results)
