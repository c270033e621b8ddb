"""The run: find, index, plan, write. A file that fails costs that file and is never silent.

Facts are taken from the whole project around the named paths, so that doing one file gives what
doing the whole tree gives for it. Files outside the named paths are read and indexed, never changed
and never reported.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from nnx_migrate.config import ConfigError, Configuration, Options
from nnx_migrate.deep import run_deep
from nnx_migrate.outcomes import FileResult, FileStatus, Finding, Outcome
from nnx_migrate.partners import dependable, groups, write_together
from nnx_migrate.projects import PlacedIndex, Projects
from nnx_migrate.sources.discovery import Candidate, Walk, problem
from nnx_migrate.sources.documents.kinds import is_document, read_document, read_source
from nnx_migrate.sources.fringe import Fringe
from nnx_migrate.sources.ignores import PatternFile
from nnx_migrate.sources.modules import import_root, module_name, project_root
from nnx_migrate.sources.scanning import read_file
from nnx_migrate.sources.text import UndecodableSource, decode
from nnx_migrate.sources.write import WriteError, Writer
from nnx_migrate.totals import Totals, count
from nnx_migrate.workers import Workers, uncollected

if TYPE_CHECKING:
    from nnx_migrate.facts.project import Project
    from nnx_migrate.rewrite.context import Reader

Progress = Callable[[str, int, int], None]


@dataclasses.dataclass(frozen=True, slots=True)
class RunResult:
    """Everything a run found and did.

    Args:
        results: one entry for each file that may use nnx and each path that could not be looked
            into, by path. Files that do not change carry no bytes.
        totals: what they add up to.
        missing: named paths that do not exist.
    """

    results: tuple[FileResult, ...]
    totals: Totals
    missing: tuple[Path, ...] = ()


@dataclasses.dataclass(frozen=True, slots=True)
class _IndexTask:
    path: Path
    data: bytes
    wanted: bool


@dataclasses.dataclass(frozen=True, slots=True)
class _Indexed:
    path: Path
    wanted: bool
    digest: bytes
    index: PlacedIndex | None
    failure: FileResult | None


@dataclasses.dataclass(frozen=True, slots=True)
class _PlanTask:
    path: Path
    digest: bytes
    options: Options
    data: bytes | None = None
    alone: bool = False


@dataclasses.dataclass(frozen=True, slots=True)
class _Found:
    """What there is to plan, and what is already settled: paths that could not be read."""

    projects: Projects
    tasks: list[_PlanTask]
    results: list[FileResult]
    looked_at: int
    missing: tuple[Path, ...]


def run(
    paths: Sequence[Path],
    configuration: Configuration,
    *,
    write: Writer | None,
    jobs: int = 1,
    progress: Progress | None = None,
) -> RunResult:
    """Migrate the Python files at and below `paths`.

    Args:
        paths: files and folders; one that does not exist is a finding, the others are still done.
        configuration: what counts for each file.
        write: replaces a file that changes; without it nothing on disk is touched.
        jobs: worker processes.
        progress: called with the stage, how many files are done, and how many there are.

    Raises:
        ConfigError: a pyproject.toml on the way up from a file cannot be obeyed.
    """
    show = progress or _silent
    with uncollected():
        if jobs == 1:
            return run_deep(_run, paths, configuration, write, jobs, show)
        # Processes are forked from here, and a process with threads is not safe to fork.
        return _run(paths, configuration, write, jobs, show)


def run_text(data: bytes, path: Path, configuration: Configuration) -> FileResult:
    """Migrate one text that was not read from disk, as if it stood at `path`.

    Args:
        data: the bytes of the file.
        path: where it belongs; the project around it gives the facts.
        configuration: what counts for that path.

    Raises:
        ConfigError: a pyproject.toml on the way up from the path cannot be obeyed.
    """
    return run_deep(_run_text, data, path, configuration)


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
) -> RunResult:
    found = _read(paths, configuration, jobs, progress)
    results = found.results
    wanted = {task.path: task for task in found.tasks}
    planners = Workers(_plan, jobs, _plan_crashed, _set_projects, (found.projects, wanted))
    for done, result in enumerate(planners.map(found.tasks), start=1):
        progress("planning", done, len(found.tasks))
        results.append(result if result.together else _finish(result, write))
    if any(result.together for result in results):
        results = _finish_together(results, planners, wanted, write)
    results.sort(key=lambda result: str(result.path))
    return RunResult(tuple(results), count(results, found.looked_at), found.missing)


def _finish_together(
    results: list[FileResult],
    planners: Workers[_PlanTask, FileResult],
    wanted: Mapping[Path, _PlanTask],
    write: Writer | None,
) -> list[FileResult]:
    """Finish the files that have to change with others."""

    def alone(paths: Sequence[Path]) -> Iterator[FileResult]:
        tasks = [dataclasses.replace(wanted[path], alone=True) for path in paths]
        return (_finish(result, write) for result in planners.map(tasks))

    by_path = {result.path: result for result in dependable(results, alone)}
    for group in groups(by_path.values()):
        for result in write_together([by_path[path] for path in group], write):
            by_path[result.path] = result
    return list(by_path.values())


def _read(
    paths: Sequence[Path], configuration: Configuration, jobs: int, progress: Progress
) -> _Found:
    """Look at all files, and keep no more of them than what the planning takes."""
    walk = Walk(paths, _excludes(configuration), jobs=jobs, pages=_pages(configuration))
    results: list[FileResult] = []
    indexes: list[PlacedIndex] = []
    tasks: list[_PlanTask] = []
    indexers = Workers(_index, jobs, _index_crashed, pack=_packed)
    candidates = _to_index(walk, paths, configuration, jobs)
    for done, indexed in enumerate(indexers.map(candidates), start=1):
        progress("reading", done, 0)
        if indexed.index is not None:
            indexes.append(indexed.index)
        if indexed.wanted and indexed.failure is None:
            options = configuration.options_for(indexed.path.absolute())
            tasks.append(_PlanTask(indexed.path, indexed.digest, options))
        elif indexed.wanted and indexed.failure is not None:
            results.append(indexed.failure)
    results.extend(walk.problems)
    projects = Projects(indexes)
    tasks.sort(key=lambda task: (projects.group(task.path), str(task.path)))
    return _Found(projects, tasks, results, walk.looked_at, tuple(walk.missing))


def _run_text(data: bytes, path: Path, configuration: Configuration) -> FileResult:
    options = configuration.options_for(path.absolute())
    own = _index(_IndexTask(path, data, wanted=True))
    if own.failure is not None:
        return dataclasses.replace(own.failure, before=data, after=data)
    _set_projects(_projects_around(own, data, configuration), {})
    result = _plan(_PlanTask(path, own.digest, options, data))
    if result.status is FileStatus.CHANGED:
        return result
    return dataclasses.replace(result, before=data, after=data)


def _explain(path: Path, line: int, cell: int, configuration: Configuration) -> str:
    from nnx_migrate.explain import explain
    from nnx_migrate.migrate_document import explain_document

    try:
        data = read_file(path)
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}") from None
    own = _index(_IndexTask(path, data, wanted=True))
    if own.failure is not None:
        raise ConfigError(f"{path}: {own.failure.reason}")
    module = module_name(path.absolute())
    projects = _projects_around(own, data, configuration)
    project = projects.around(path)
    options = configuration.options_for(path.absolute())
    if is_document(path):
        document = read_document(path, data)
        return explain_document(document, module, project, options, line, cell)
    return explain(decode(path, data), module, project, options, line)


def _projects_around(own: _Indexed, data: bytes, configuration: Configuration) -> Projects:
    """The projects of a run over one file, whose text may be another than on disk."""
    path = own.path
    indexes = [own.index] if own.index is not None else []
    root = project_root(path.absolute())
    walk = Walk([root], _excludes(configuration, lenient=True))
    for task in _to_index(walk, [], configuration, extra=Candidate(path, data)):
        indexed = _index(task)
        if indexed.index is not None and indexed.path.absolute() != path.absolute():
            indexes.append(indexed.index)
    return Projects(indexes)


def _to_index(
    walk: Walk,
    paths: Sequence[Path],
    configuration: Configuration,
    jobs: int = 1,
    extra: Candidate | None = None,
) -> Iterator[_IndexTask]:
    """Yield the candidates, then those of the project around them, then the fringe of both."""
    fringe = Fringe()
    if extra is not None:
        fringe.add(extra.path, extra.data)
    for candidate in walk:
        fringe.add(candidate.path, candidate.data)
        yield _IndexTask(candidate.path, candidate.data, wanted=True)
    own_folders = {Path(listing.shown) for listing in walk.others}
    around = Walk(
        dict.fromkeys(project_root(path.absolute()) for path in paths if path.exists()),
        _excludes(configuration, lenient=True),
        already=walk.seen,
        jobs=jobs,
    )
    for candidate in around:
        fringe.add(candidate.path, candidate.data)
        yield _IndexTask(candidate.path, candidate.data, wanted=False)
    for candidate in fringe.find([*walk.others, *around.others]):
        yield _IndexTask(candidate.path, candidate.data, candidate.path.parent in own_folders)


def _index(task: _IndexTask) -> _Indexed:
    from nnx_migrate.facts.index import index_module

    digest = _digest(task.data)
    try:
        path = task.path.absolute()
        module = module_name(path)
        record = index_module(read_source(task.path, task.data), module)
        index = PlacedIndex(import_root(path), module, task.path, record.imports, record)
        return _Indexed(task.path, task.wanted, digest, index, None)
    except Exception as error:
        return _Indexed(task.path, task.wanted, digest, None, _failure(task.path, error))


def _digest(data: bytes) -> bytes:
    import hashlib

    return hashlib.blake2b(data, digest_size=16).digest()


def _packed(indexed: _Indexed) -> _Indexed:
    if indexed.index is None:
        return indexed
    try:
        # Packed here, on the deep stack: a result is otherwise packed on whatever stack there is.
        return dataclasses.replace(indexed, index=indexed.index.packed())
    except Exception as error:
        failure = _failure(indexed.path, error)
        return dataclasses.replace(indexed, index=None, failure=failure)


# Held by each worker process for all the files that it plans.
_projects: list[Projects] = []
_wanted: dict[Path, _PlanTask] = {}


def _set_projects(projects: Projects, wanted: Mapping[Path, _PlanTask]) -> None:
    _projects[:] = [projects]
    _wanted.clear()
    _wanted.update(wanted)


@functools.lru_cache(maxsize=2)
def _reader(project: Project) -> Reader:
    """The files of a project, as they were indexed; those that are wanted may change."""
    from nnx_migrate.rewrite.context import Readable

    def read(module: str) -> Readable | None:
        path = Path(project.path_of(module))
        task = _wanted.get(path)
        try:
            data = read_file(path)
            if task is not None and _digest(data) != task.digest:
                return None
            if is_document(path):
                return None
            return Readable(decode(path, data), None if task is None else task.options)
        except (OSError, UndecodableSource, SyntaxError):
            return None

    return read


def _plan(task: _PlanTask) -> FileResult:
    from nnx_migrate.migrate import plan
    from nnx_migrate.migrate_document import plan_document, plan_with_doctests
    from nnx_migrate.rewrite.context import nothing_else

    path = task.path
    try:
        data = read_file(path) if task.data is None else task.data
        if _digest(data) != task.digest:
            reason = "changed while migrating; run again"
            return problem(path, FileStatus.FAILED, "changed-file", reason)
        module = module_name(path.absolute())
        project = _projects[0].around(path)
        if is_document(path):
            return plan_document(read_document(path, data), module, project, task.options)
        source = decode(path, data)
        read = nothing_else if task.alone else _reader(project)
        if task.options.docs:
            return plan_with_doctests(source, module, project, task.options, read)
        return plan(source, module, project, task.options, read=read)
    except Exception as error:
        return _failure(path, error)


def _finish(result: FileResult, write: Writer | None) -> FileResult:
    if result.before == result.after:
        return dataclasses.replace(result, before=b"", after=b"")
    if write is not None and result.status is FileStatus.CHANGED:
        try:
            write(result.path, result.before, result.after)
        except WriteError as error:
            return problem(result.path, FileStatus.FAILED, "unwritable-file", error.reason)
    return result


def _failure(path: Path, error: Exception) -> FileResult:
    if isinstance(error, UndecodableSource):
        return problem(path, FileStatus.FAILED, "unreadable-file", error.reason)
    if isinstance(error, OSError):
        reason = error.strerror or str(error)
        return problem(path, FileStatus.FAILED, "unreadable-file", reason)
    if isinstance(error, SyntaxError):
        return _syntax_failure(path, error)
    if isinstance(error, RecursionError | MemoryError):
        return problem(path, FileStatus.FAILED, "too-deep", "its code is nested too deeply")
    reason = f"{type(error).__name__}: {error} (at {_place(error)}); please report this"
    return problem(path, FileStatus.FAILED, "internal-error", reason)


def _syntax_failure(path: Path, error: SyntaxError) -> FileResult:
    import platform

    version = ".".join(platform.python_version_tuple()[:2])
    reason = f"{error.msg} (read as Python {version})"
    finding = Finding("syntax-error", error.lineno or 0, error.offset or 0, Outcome.MANUAL, reason)
    return FileResult(path, FileStatus.FAILED, b"", b"", (finding,), reason)


def _place(error: Exception) -> str:
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return "an unknown place"
    return f"{Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}"


def _index_crashed(task: _IndexTask) -> _Indexed:
    return _Indexed(task.path, task.wanted, b"", None, _crash(task.path))


def _plan_crashed(task: _PlanTask) -> FileResult:
    return _crash(task.path)


def _crash(path: Path) -> FileResult:
    reason = "the process that worked on it died; please report this"
    return problem(path, FileStatus.FAILED, "internal-error", reason)


def _excludes(
    configuration: Configuration, *, lenient: bool = False
) -> Callable[[Path], PatternFile | None]:
    """What each folder excludes.

    Args:
        lenient: take a broken configuration for none; what nobody asked to migrate may be broken.
    """

    def excludes(folder: Path) -> PatternFile | None:
        try:
            found = configuration.exclude_for(folder)
        except ConfigError:
            if not lenient:
                raise
            return None
        return None if found is None else PatternFile(str(found[0]).rstrip("/"), found[1])

    return excludes


def _pages(configuration: Configuration) -> Callable[[Path], bool]:
    """Whether pages of documentation in a folder are looked at."""
    return lambda folder: configuration.options_for(folder / "page.md").docs


def _silent(stage: str, done: int, total: int) -> None:
    """Show no progress."""


def pending(results: Iterable[FileResult]) -> bool:
    """Return whether any file would change."""
    return any(result.status is FileStatus.CHANGED for result in results)
