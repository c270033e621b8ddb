"""Reading and planning that ask what is known first, and keep what they find out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from nnx_migrate.batch.processes.choice import Processes
from nnx_migrate.batch.processes.limits import quarantine
from nnx_migrate.batch.processes.supervised import Work
from nnx_migrate.core.findings import FileResult
from nnx_migrate.engine.cache.answers import IndexMemory, PlanMemory, without_bytes
from nnx_migrate.engine.cache.steps import remembering
from nnx_migrate.engine.discover import Indexed, Indexing, IndexTask, index_file, packed
from nnx_migrate.engine.failures import TOO_LITTLE_MEMORY
from nnx_migrate.engine.plan_file import PlanTask, plan_file, set_projects
from nnx_migrate.engine.projects.assign import Projects

#: Gives the result of each file, in any order.
Planning = Callable[[Iterable[PlanTask]], Iterator[FileResult]]


def remembering_index(memory: IndexMemory, processes: Processes, *, given_up: bool) -> Indexing:
    """Indexing that leaves out what is known.

    Args:
        memory: of earlier runs, and of this one.
        processes: take the facts of the others.
        given_up: whether files that a run has given up on are left alone.
    """

    def indexing(tasks: Iterable[IndexTask]) -> Iterator[Indexed]:
        by_path: dict[Path, IndexTask] = {}

        def done(unknown: Sequence[IndexTask]) -> Iterator[Indexed]:
            # All files are found before a process starts. No bytes wait for it: it reads them
            # itself.
            waiting = [without_bytes(task) for task in unknown]
            by_path.update((task.path, task) for task in waiting)
            return processes.map(_INDEXING, waiting)

        def kept(lot: list[Indexed]) -> list[Indexed]:
            return memory.keep([(by_path[indexed.path], indexed) for indexed in lot])

        return remembering(tasks, lambda task: memory.find(task, given_up=given_up), done, kept)

    return indexing


def remembering_plan(
    memory: PlanMemory,
    processes: Processes,
    projects: Projects,
    wanted: dict[Path, PlanTask],
    *,
    given_up: bool,
    planned: Callable[[FileResult], None] = lambda result: None,
) -> Planning:
    """Planning that leaves out what is known.

    Args:
        memory: of earlier runs, and of this one.
        processes: plan the others.
        projects: what is known of all files.
        wanted: the files that may change.
        given_up: whether files that a run has given up on are left alone.
        planned: told of each file that was planned now.
    """

    def planning(tasks: Iterable[PlanTask]) -> Iterator[FileResult]:
        def done(unknown: Sequence[PlanTask]) -> Iterator[FileResult]:
            work = Work(
                plan_file,
                lambda task, reason: quarantine(task.path, reason),
                _no_memory,
                set_projects,
                (projects if processes.local or not unknown else projects.loaded(), wanted),
            )
            return processes.map(work, unknown)

        def kept(lot: list[FileResult]) -> Iterator[FileResult]:
            memory.keep((wanted[result.path], result) for result in lot)
            for result in lot:
                planned(result)
                yield result

        return remembering(tasks, lambda task: memory.find(task, given_up=given_up), done, kept)

    return planning


def _index_given_up(task: IndexTask, reason: str) -> Indexed:
    return Indexed(task.path, task.wanted, task.digest(), None, quarantine(task.path, reason))


def _index_no_memory(indexed: Indexed) -> bool:
    return indexed.failure is not None and _no_memory(indexed.failure)


def _no_memory(result: FileResult) -> bool:
    return any(finding.rule == TOO_LITTLE_MEMORY for finding in result.findings)


_INDEXING = Work(index_file, _index_given_up, _index_no_memory, pack=packed)
