"""What runs of `apply` keep between them: answers in the user's own cache folder.

Nothing depends on it. What cannot be read, is damaged or is not there is found out anew; a folder
that others may write to, or that belongs to another user, is not used.
"""

from __future__ import annotations

import contextlib
import functools
import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

from nnx_migrate.core.findings import FileResult
from nnx_migrate.engine.cache.answers import IndexMemory, PlanMemory, without_bytes
from nnx_migrate.engine.cache.steps import remembering
from nnx_migrate.engine.cache.store import DamagedShelf, Shelf
from nnx_migrate.engine.discover import Indexed, Indexing, IndexTask
from nnx_migrate.engine.plan_file import PlanTask
from nnx_migrate.engine.projects.assign import Projects
from nnx_migrate.engine.workers import Workers
from nnx_migrate.sources.config_values import ConfigError
from nnx_migrate.sources.own_folder import OwnFolder

#: Names the folder for answers, in place of the system's own.
CACHE_VARIABLE = "NNX_MIGRATE_CACHE"
#: What each of the two files may take.
MOST_BYTES = 128 * 1024 * 1024
_INDEX, _PLANS = "index.sqlite", "plans.sqlite"
#: What SQLite puts beside a file.
_BESIDE = ("", "-wal", "-shm", "-journal")
Given = TypeVar("Given")
_DAY = 24 * 60 * 60


class UsersAnswers:
    """Answers of earlier runs of this user; where one is not to be had, it is None.

    Args:
        folder: that holds them, which nobody else can write to.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._damaged: set[str] = set()
        self._shelves = {name: _opened(folder / name) for name in (_INDEX, _PLANS)}

    def indexing(self, workers: Workers[IndexTask, Indexed]) -> Indexing:
        """Indexing that leaves out what is known.

        Args:
            workers: index the others.
        """
        shelf = self._shelves[_INDEX]
        if shelf is None:
            return workers.map
        memory = IndexMemory(shelf, shared=True)

        def indexing(tasks: Iterable[IndexTask]) -> Iterator[Indexed]:
            by_path: dict[Path, IndexTask] = {}

            def find(task: IndexTask) -> Indexed | None:
                return self._tried(_INDEX, lambda: memory.find(task, given_up=False))

            def done(unknown: Sequence[IndexTask]) -> Iterator[Indexed]:
                by_path.update((task.path, without_bytes(task)) for task in unknown)
                return workers.map(by_path.values())

            def kept(lot: list[Indexed]) -> list[Indexed]:
                pairs = [(by_path[each.path], each) for each in lot]
                return self._tried(_INDEX, lambda: memory.keep(pairs)) or lot

            return remembering(tasks, find, done, kept)

        return indexing

    def results(self, projects: Projects, wanted: dict[Path, PlanTask]) -> UsersResults:
        """The results of files.

        Args:
            projects: what is known of all files.
            wanted: the files that may change.
        """
        shelf = self._shelves[_PLANS]
        memory = PlanMemory(shelf, projects, list(wanted.values())) if shelf is not None else None
        return UsersResults(memory, wanted, functools.partial(self._tried, _PLANS))

    def close(self) -> None:
        """Let go of the files, and of what was used longest ago where they have grown too large."""
        today = int(time.time() // _DAY)
        for name, shelf in self._shelves.items():
            if shelf is not None:
                self._tried(name, functools.partial(shelf.forget_oldest, MOST_BYTES, today))
                shelf.close()
        for name in self._damaged:
            _remove(self._folder / name)

    def _tried(self, name: str, function: Callable[[], Given]) -> Given | None:
        """What a shelf gives; None where it cannot be read or written."""
        try:
            return function()
        except DamagedShelf:
            self._damaged.add(name)
        except ConfigError:
            pass  # nothing depends on it
        return None


class UsersResults:
    """Results of files, asked of earlier runs first.

    Args:
        memory: of these runs; None where it is not to be had.
        wanted: the files that may change.
        tried: calls what may meet a damaged answer.
    """

    def __init__(
        self,
        memory: PlanMemory | None,
        wanted: dict[Path, PlanTask],
        tried: Callable[[Callable[[], object]], Any],
    ) -> None:
        self._memory = memory
        self._wanted = wanted
        self._tried = tried

    def knows(self, tasks: Sequence[PlanTask]) -> bool:
        """Whether there is a result of each file."""
        memory = self._memory
        return memory is not None and bool(self._tried(lambda: all(map(memory.knows, tasks))))

    def planning(
        self, workers: Workers[PlanTask, FileResult], tasks: Sequence[PlanTask]
    ) -> Iterator[FileResult]:
        """The results of files, those first that are known.

        Args:
            workers: plan the others.
            tasks: the files to plan.
        """
        memory = self._memory
        if memory is None:
            return workers.map(tasks)

        def find(task: PlanTask) -> FileResult | None:
            found: FileResult | None = self._tried(lambda: memory.find(task, given_up=False))
            return found

        def kept(lot: list[FileResult]) -> list[FileResult]:
            pairs = [(self._wanted[each.path], each) for each in lot]
            self._tried(lambda: memory.keep(pairs))
            return lot

        return remembering(tasks, find, workers.map, kept, at_once=1)


@contextlib.contextmanager
def users_answers() -> Iterator[UsersAnswers | None]:
    """What is known of earlier runs; None where the folder cannot be used."""
    try:
        folder = cache_folder()
        with OwnFolder(folder, private=True, base=folder.parent) as own:
            for name in (_INDEX, _PLANS):
                own.require_file(name)
        answers = UsersAnswers(folder)
    except OSError:
        yield None
        return
    try:
        yield answers
    finally:
        answers.close()


def forget_answers() -> int:
    """Take all answers off the disk, and return how many bytes these were.

    Raises:
        OSError: the folder cannot be used.
    """
    folder = cache_folder()
    if not folder.is_dir():
        return 0
    size = 0
    with OwnFolder(folder, private=True, base=folder.parent) as own:
        for name in own.names():
            if any(name == f"{shelf}{end}" for shelf in (_INDEX, _PLANS) for end in _BESIDE):
                size += (folder / name).lstat().st_size
                own.remove(name)
    return size


def cache_folder() -> Path:
    """The folder for answers: the user's own, whatever the project is."""
    if given := os.environ.get(CACHE_VARIABLE):
        return Path(os.path.abspath(given))
    import platformdirs

    return platformdirs.user_cache_path("nnx-migrate", appauthor=False)


def _opened(file: Path) -> Shelf | None:
    for _ in range(2):
        try:
            # SQLite's own files get the mode of this one.
            os.close(os.open(file, os.O_WRONLY | os.O_CREAT, 0o600))
            return Shelf(file, shared=True)
        except DamagedShelf:
            _remove(file)
        except (ConfigError, OSError):
            break
    return None


def _remove(file: Path) -> None:
    for end in _BESIDE:
        with contextlib.suppress(OSError):
            os.unlink(f"{file}{end}")
