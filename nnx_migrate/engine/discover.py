"""Finding the files of a run and taking their facts: its first half, which writes nothing."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from nnx_migrate.core.findings import FileResult
from nnx_migrate.core.pins import Unpin
from nnx_migrate.engine.failures import changed_meanwhile, crash, failure_of
from nnx_migrate.engine.plan_file import PlanTask
from nnx_migrate.engine.projects.assign import PlacedIndex, Projects
from nnx_migrate.engine.workers import Workers
from nnx_migrate.sources.config_values import ConfigError
from nnx_migrate.sources.configuration import Configuration
from nnx_migrate.sources.documents.kinds import read_source
from nnx_migrate.sources.imports.fringe import Fringe
from nnx_migrate.sources.imports.module_names import Place, project_root
from nnx_migrate.sources.walk.discovery import Candidate, Walk
from nnx_migrate.sources.walk.ignores import PatternFile
from nnx_migrate.sources.walk.scanning import digest_of, read_file

if TYPE_CHECKING:
    import ast

    from nnx_migrate.sources.text import Source

Progress = Callable[[str, int, int], None]
#: Told of each file when the work on it begins, and of None when it ends, by who does it.
Watch = Callable[[Path | None], None]
#: Gives the index of each file, in any order.
Indexing = Callable[[Iterable["IndexTask"]], Iterator["Indexed"]]


@dataclasses.dataclass(frozen=True, slots=True)
class IndexTask:
    """A file whose index is wanted.

    Args:
        path: the file, as it was named or found.
        data: its bytes; the digest of them where whoever takes the index reads the file itself.
        wanted: it is to be migrated; the others are only known.
        place: where it stands among the imports.
        unpin: which of its pins it is taken without.
    """

    path: Path
    data: bytes | Digest
    wanted: bool
    place: Place
    unpin: Unpin = Unpin.NONE

    def digest(self) -> bytes:
        """The digest of its bytes."""
        return self.data.value if isinstance(self.data, Digest) else digest_of(self.data)


@dataclasses.dataclass(frozen=True, slots=True)
class Watched:
    """Tells of the files of tasks."""

    watch: Watch

    def __call__(self, task: IndexTask | PlanTask | None) -> None:
        """A task begins, or the one before has ended."""
        self.watch(task.path if task is not None else None)


@dataclasses.dataclass(frozen=True, slots=True)
class Digest:
    """What stands for the bytes of a file where they are not sent along."""

    value: bytes


@dataclasses.dataclass(frozen=True, slots=True)
class Indexed:
    """What indexing a file gave.

    Args:
        path: the file.
        wanted: it is to be migrated.
        digest: of its bytes.
        index: its index; None where that failed.
        failure: the result of a file that failed.
    """

    path: Path
    wanted: bool
    digest: bytes
    index: PlacedIndex | None
    failure: FileResult | None


@dataclasses.dataclass(frozen=True, slots=True)
class Found:
    """What there is to plan, and what is already settled.

    Args:
        projects: what is known of all files.
        tasks: files to plan, those that are known together side by side.
        results: of paths that could not be read.
        looked_at: how many files were read.
        missing: named paths that do not exist.
    """

    projects: Projects
    tasks: list[PlanTask]
    results: list[FileResult]
    looked_at: int
    missing: tuple[Path, ...]


def find(
    paths: Sequence[Path],
    configuration: Configuration,
    jobs: int,
    progress: Progress,
    indexing: Indexing | None = None,
    watch: Watch | None = None,
) -> Found:
    """Look at all files, and keep no more of them than what the planning takes.

    Args:
        paths: files and folders, as they were named.
        configuration: what counts for each file.
        jobs: worker processes.
        progress: called with the stage and how many files are done.
        indexing: makes an index of each file; None for plain processes.
        watch: told of each file when the work on it begins and ends.

    Raises:
        ConfigError: a pyproject.toml on the way up from a file cannot be obeyed.
    """
    walk = Walk(paths, excludes_of(configuration), jobs=jobs, pages=_pages(configuration))
    results: list[FileResult] = []
    indexes: list[PlacedIndex] = []
    tasks: list[PlanTask] = []
    if indexing is None:
        watched = Watched(watch) if watch is not None else None
        indexing = Workers(index_file, jobs, index_crashed, pack=packed, watch=watched).map
    candidates = to_index(walk, paths, configuration, jobs)
    for done, indexed in enumerate(indexing(candidates), start=1):
        progress("reading", done, 0)
        if indexed.index is not None:
            indexes.append(indexed.index)
        if indexed.wanted and indexed.failure is None:
            options = configuration.options_for(indexed.path)
            tasks.append(PlanTask(indexed.path, indexed.digest, options))
        elif indexed.wanted and indexed.failure is not None:
            results.append(indexed.failure)
    results.extend(each for each in walk.problems if not configuration.leaves_alone(each.path))
    projects = Projects(indexes, configuration.facts)
    tasks.sort(key=lambda task: (projects.group(task.path), str(task.path)))
    return Found(projects, tasks, results, walk.looked_at, tuple(walk.missing))


def to_index(
    walk: Walk,
    paths: Sequence[Path],
    configuration: Configuration,
    jobs: int = 1,
    extra: Candidate | None = None,
) -> Iterator[IndexTask]:
    """Yield the candidates, then those of the project around them, then the fringe of both.

    Args:
        walk: finds the candidates.
        paths: what is walked, as it was named.
        configuration: what counts for each file.
        jobs: worker processes that may read.
        extra: a candidate whose text is another than on disk; it comes first.
    """
    fringe = Fringe(jobs)
    if extra is not None:
        fringe.add(extra.path, extra.data)
    # How a file is imported is known when all were found. Its bytes do not wait for that.
    waiting: list[tuple[Path, Digest, bool]] = []
    for candidate in walk:
        fringe.add(candidate.path)
        wanted = not configuration.leaves_alone(candidate.path)
        waiting.append((candidate.path, Digest(digest_of(candidate.data)), wanted))
    own_folders = {Path(listing.shown) for listing in walk.others}
    around = Walk(
        dict.fromkeys(project_root(path) for path in paths if os.path.exists(path)),
        excludes_of(configuration, lenient=True),
        already=walk.seen,
        jobs=jobs,
    )
    for candidate in around:
        fringe.add(candidate.path)
        waiting.append((candidate.path, Digest(digest_of(candidate.data)), False))
    fringe.meet([*walk.others, *around.others])

    def task(path: Path, data: bytes | Digest, wanted: bool, place: Place) -> IndexTask:
        # What is not migrated keeps its pins, so it is known with them.
        unpin = configuration.options_for(path).withdraws if wanted else Unpin.NONE
        return IndexTask(path, data, wanted, place, unpin)

    if extra is not None:
        yield task(extra.path, extra.data, True, fringe.place(extra.path))
    for path, digest, wanted in waiting:
        yield task(path, digest, wanted, fringe.place(path))
    for found, place in fringe.find():
        wanted = found.path.parent in own_folders and not configuration.leaves_alone(found.path)
        yield task(found.path, found.data, wanted, place)


def index_file(task: IndexTask) -> Indexed:
    """Take the facts of one file; whatever goes wrong is its failure."""
    from nnx_migrate.analysis.ir.build import index_tree
    from nnx_migrate.analysis.ir.parse import parse
    from nnx_migrate.rewrite.pinned.withdrawn import withdrawn

    digest = task.digest()
    try:
        data = read_file(task.path) if isinstance(task.data, Digest) else task.data
        if digest_of(data) != digest:
            failure = changed_meanwhile(task.path)
            return Indexed(task.path, task.wanted, digest, None, failure)
        place = task.place
        source = withdrawn(read_source(task.path, data), task.unpin).source
        tree = parse(source.text)
        record = index_tree(tree, place.module, source, place.meant)
        said = _said(task, source, tree)
        index = PlacedIndex(place.root, place.module, task.path, record.imports, record, said)
        return Indexed(task.path, task.wanted, digest, index, None)
    except Exception as error:
        return Indexed(task.path, task.wanted, digest, None, failure_of(task.path, error))


def _said(task: IndexTask, source: Source, tree: ast.Module) -> bytes:
    """The digest of all in a file that others may depend on."""
    from nnx_migrate.analysis.ir.remarks import without_remarks

    place = task.place
    said: object = task.digest(), task.unpin
    # The text of a notebook, or one without pins, has other lines.
    if not (source.stands or source.lines):
        said = without_remarks(source.text, tree)
    parts = (str(task.path), str(place.root), place.module, place.meant, said)
    return digest_of(repr(parts).encode(errors="surrogateescape"))


def packed(indexed: Indexed) -> Indexed:
    """The same in little memory, fit to be sent."""
    if indexed.index is None:
        return indexed
    try:
        # Packed here, on the deep stack: a result is otherwise packed on whatever stack there is.
        return dataclasses.replace(indexed, index=indexed.index.packed())
    except Exception as error:
        failure = failure_of(indexed.path, error)
        return dataclasses.replace(indexed, index=None, failure=failure)


def index_packed(task: IndexTask) -> Indexed:
    """Take the facts of one file for who keeps them on disk."""
    return packed(index_file(task))


def index_crashed(task: IndexTask) -> Indexed:
    """What there is of a file whose process died."""
    return Indexed(task.path, task.wanted, b"", None, crash(task.path))


def excludes_of(
    configuration: Configuration, *, lenient: bool = False
) -> Callable[[Path], PatternFile | None]:
    """What each folder excludes.

    Args:
        configuration: of the run.
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
