"""A batch run: find, plan, put the plan on disk, write. It may be killed at any moment.

Until the plan is on disk nothing is written, and planning goes on from what is remembered. From
then on the plan is what is written, whatever the tree has become meanwhile.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator, Sequence
from pathlib import Path

from nnx_migrate.batch.cached_steps import remembering_index, remembering_plan
from nnx_migrate.batch.processes.choice import Processes
from nnx_migrate.batch.shards import Shard, finished_shards
from nnx_migrate.core.findings import FileResult
from nnx_migrate.core.totals import RunResult, count
from nnx_migrate.engine.cache.answers import IndexMemory, PlanMemory
from nnx_migrate.engine.cache.store import Shelf
from nnx_migrate.engine.discover import Found, Progress, find
from nnx_migrate.engine.workers import uncollected
from nnx_migrate.engine.write_results import finish
from nnx_migrate.rewrite.model.active_rules import require_rules
from nnx_migrate.sources.config_values import ConfigError
from nnx_migrate.sources.configuration import Configuration
from nnx_migrate.sources.journal import Journal
from nnx_migrate.sources.write import Replacement, WriteError, Writer, remove_leftovers


@dataclasses.dataclass(frozen=True, slots=True)
class Planned:
    """The plan of a run.

    Args:
        result: every file as it is going to be; nothing is written yet.
        files: how many files were to be planned.
        anew: how many of these nothing was known of.
    """

    result: RunResult
    files: int
    anew: int


@dataclasses.dataclass(frozen=True, slots=True)
class Campaign:
    """What a batch run works on.

    Args:
        paths: files and folders, as they were named.
        configuration: what counts for each file.
        out: the folder that keeps what is known.
        processes: do the work.
        jobs: how many processes may look for files.
        given_up: whether files that an earlier run has given up on are left alone.
        progress: called with the stage, how many files are done, and how many there are.
    """

    paths: Sequence[Path]
    configuration: Configuration
    out: Path
    processes: Processes
    jobs: int
    given_up: bool
    progress: Progress

    @property
    def shards(self) -> Path:
        """Where the parts of a run are."""
        return self.out / "shards"

    def look(self) -> Found:
        """Take the facts of all files, and keep them for other runs.

        Raises:
            ConfigError: a table, or what is known, cannot be read.
        """
        with uncollected(), self._shelf("index") as shelf:
            found = self._found(shelf)
            shelf.forget_unused()
            return found

    def plan_shard(self, shard: Shard) -> int:
        """Plan one part of the files, for a merge; return how many these were.

        Args:
            shard: which part. What `look` has kept is used where it is there.

        Raises:
            ConfigError: as for `look`.
        """
        shard.begun(self.shards)
        with contextlib.ExitStack() as stack:
            stack.enter_context(uncollected())
            own = stack.enter_context(self._shelf(f"shards/{shard.stem}-index"))
            known = stack.enter_context(self._others([self.out / "index.sqlite"]))
            found = self._found(own, known)
            shelf = stack.enter_context(self._shelf(f"shards/{shard.stem}"))
            tasks = shard.of_tasks(found.tasks)
            memory = PlanMemory(shelf, found.projects, found.tasks)
            wanted = {task.path: task for task in found.tasks}
            planning = remembering_plan(
                memory, self.processes, found.projects, wanted, given_up=self.given_up
            )
            for done, _ in enumerate(planning(tasks), start=1):
                self.progress("planning", done, len(tasks))
        shard.finished(self.shards, len(tasks))
        return len(tasks)

    def plan(self, *, merged: bool = False) -> Planned:
        """Plan all files.

        Args:
            merged: take what the shards have planned.

        Raises:
            ConfigError: as for `look`; shards are missing.
        """
        parts = [shard.stem for shard in finished_shards(self.shards)] if merged else []
        anew: list[FileResult] = []
        with contextlib.ExitStack() as stack:
            stack.enter_context(uncollected())
            index = stack.enter_context(self._shelf("index"))
            plans = stack.enter_context(self._shelf("plans"))
            indexes = [self.shards / f"{stem}-index.sqlite" for stem in parts]
            found = self._found(index, stack.enter_context(self._others(indexes)))
            others = stack.enter_context(self._others([self.shards / f"{s}.sqlite" for s in parts]))
            memory = PlanMemory(plans, found.projects, found.tasks, others)
            wanted = {task.path: task for task in found.tasks}
            planning = remembering_plan(
                memory,
                self.processes,
                found.projects,
                wanted,
                given_up=self.given_up,
                planned=anew.append,
            )
            results = found.results
            for done, planned in enumerate(planning(found.tasks), start=1):
                self.progress("planning", done, len(found.tasks))
                # Without bytes that nothing is going to be done with.
                results.append(finish(planned, None))
            results.sort(key=lambda result: str(result.path))
            index.forget_unused()
            plans.forget_unused()
        totals = count(results, found.looked_at)
        result = RunResult(tuple(results), totals, found.missing)
        return Planned(result, len(found.tasks), len(anew))

    def _found(self, own: Shelf, others: Sequence[Shelf] = ()) -> Found:
        memory = IndexMemory(own, others)
        indexing = remembering_index(memory, self.processes, given_up=self.given_up)
        found = find(self.paths, self.configuration, self.jobs, self.progress, indexing)
        require_rules(self.configuration, ((task.path, task.options) for task in found.tasks))
        return found

    @contextlib.contextmanager
    def _shelf(self, name: str) -> Iterator[Shelf]:
        shelf = Shelf(self.out / f"{name}.sqlite")
        try:
            yield shelf
        finally:
            shelf.close()

    @contextlib.contextmanager
    def _others(self, files: Sequence[Path]) -> Iterator[list[Shelf]]:
        shelves = [Shelf(file, read_only=True) for file in files if file.is_file()]
        try:
            yield shelves
        finally:
            for shelf in shelves:
                shelf.close()


def write_planned(planned: RunResult, journal: Journal, progress: Progress) -> RunResult:
    """Write what was planned, and leave what an earlier try has written.

    Args:
        planned: every file as it was planned.
        journal: keeps what the files were.
        progress: called with the stage, how many files are done, and how many there are.

    Raises:
        NoJournal: the old bytes cannot be kept.
        ConfigError: no space is left for a file.
    """
    write = _stopping_when_full(journal.write)
    changing = [result for result in planned.results if result.before != result.after]
    results = [result for result in planned.results if result.before == result.after]
    remove_leftovers(result.path for result in changing)
    for done, result in enumerate(changing, start=1):
        results.append(finish(result, write))
        progress("writing", done, len(changing))
    results.sort(key=lambda result: str(result.path))
    return RunResult(tuple(results), count(results, planned.totals.looked_at), planned.missing)


def _stopping_when_full(write: Writer) -> Writer:
    def write_or_stop(file: Replacement) -> None:
        try:
            write(file)
        except WriteError as error:
            if error.no_room:
                # Nor will there be for the others: what is left of the plan waits.
                what = (
                    f"{error.path}: {error.reason}; to continue, repeat the command with --resume"
                )
                raise ConfigError(what) from None
            raise

    return write_or_stop
