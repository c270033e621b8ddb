"""Spreading work over processes so that one bad file costs that file and nothing else.

`ProcessPoolExecutor` loses every task in flight when one worker dies. What is lost is done again
one file at a time, each in a process that may die alone.
"""

from __future__ import annotations

import contextlib
import dataclasses
import gc
import itertools
import math
import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from nnx_migrate.core.deep_stack import run_deep

if TYPE_CHECKING:
    from concurrent.futures import Future, ProcessPoolExecutor

Task = TypeVar("Task")
Answer = TypeVar("Answer")

BATCH = 32
#: So many lots are left for each process when a lot is cut off.
_LOTS = 64
#: For fewer tasks than this, starting processes takes longer than most of them do.
WORTH_A_POOL = 64
#: Seconds of work on few tasks, after which the rest is worth processes all the same.
_SOON = 1.0
#: What to do where no process can be started.
FEWER = "use fewer processes (--jobs 1), or raise the limits (ulimit -n, ulimit -u)"


def processors() -> int:
    """How many processes are worth starting here; each may take 250 MB."""
    if hasattr(os, "sched_getaffinity"):
        return min(len(os.sched_getaffinity(0)), 8)
    return min(os.cpu_count() or 1, 8)


class Workers(Generic[Task, Answer]):
    """Applies a function to tasks, here or in other processes, in batches.

    Args:
        function: importable; takes one task, returns an answer and raises nothing.
        jobs: processes; 1 for none but this one.
        crashed: makes the answer for a task whose process died.
        start: importable; called once in each process before its first task.
        start_args: its arguments, sent once to each process.
        pack: makes an answer fit to be sent, or to be kept beside many others.
        watch: importable; told of each task when it begins, and of None when it ends, in the
            process that does it. Only where that is forked, or this one: it may hold what these
            inherit.
    """

    def __init__(
        self,
        function: Callable[[Task], Answer],
        jobs: int,
        crashed: Callable[[Task], Answer],
        start: Callable[..., None] | None = None,
        start_args: tuple[Any, ...] = (),
        pack: Callable[[Answer], Answer] | None = None,
        watch: Callable[[Task | None], None] | None = None,
    ) -> None:
        self._function = function
        self._jobs = jobs
        self._crashed = crashed
        self._start = start
        self._start_args = start_args
        self._pack = pack
        self._watch = watch

    def map(self, tasks: Iterable[Task]) -> Iterator[Answer]:
        """Yield an answer for each task, in any order; tasks are taken no faster than done."""
        source = iter(tasks)
        few = list(itertools.islice(source, WORTH_A_POOL))
        if len(few) < WORTH_A_POOL:
            done = run_deep(lambda: self._while_soon(few))
            yield from done
            if rest := few[len(done) :]:
                yield from self._spread(rest, len(rest))
            return
        if self._jobs == 1:
            answers = self._here(itertools.chain(few, source))
            yield from answers if self._pack is None else map(self._pack, answers)
            return
        count = len(tasks) if isinstance(tasks, Sized) else 0
        yield from self._spread(itertools.chain(few, source), count)

    def _spread(self, tasks: Iterable[Task], count: int) -> Iterator[Answer]:
        """Do tasks in other processes.

        Args:
            tasks: all of them.
            count: how many there are; 0 where that is not known.
        """
        lost: list[Task] = []
        yield from self._in_pool(_batches(tasks, count, self._jobs), lost)
        yield from self._one_by_one(lost)

    def _while_soon(self, few: Sequence[Task]) -> list[Answer]:
        """The answers to tasks, or to the first of them where the others take their time.

        Processes that are forked then have what these have found out.
        """
        done: list[Answer] = []
        end = time.process_time() + _SOON if self._jobs > 1 and _forks() else math.inf
        for answer in self._here(few):
            done.append(answer)
            if time.process_time() > end and len(few) - len(done) > 1:
                break
        return done

    def _here(self, tasks: Iterable[Task]) -> Iterator[Answer]:
        if self._start is not None:
            self._start(*self._start_args)
        if self._watch is None:
            return map(self._function, tasks)
        return map(_Watched(self._function, self._watch), tasks)

    def _sent(self) -> Callable[[Task], Answer]:
        """What other processes are to do with a task."""
        if self._watch is None or not _forks():
            return self._function
        return _Watched(self._function, self._watch)

    @contextlib.contextmanager
    def _pool(self, jobs: int) -> Iterator[ProcessPoolExecutor]:
        import multiprocessing
        from concurrent.futures import ProcessPoolExecutor

        initargs = (self._start, self._start_args)
        with ProcessPoolExecutor(jobs, initializer=_enter, initargs=initargs) as pool:
            try:
                yield pool
            except OSError:
                # Not all could be started, and nobody is there to tell the others to end.
                for process in multiprocessing.active_children():
                    process.kill()
                raise

    def _in_pool(self, batches: Iterator[list[Task]], lost: list[Task]) -> Iterator[Answer]:
        from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, wait

        function = self._sent()
        with self._pool(self._jobs) as pool:
            running: dict[Future[list[Answer]], list[Task]] = {}
            broken = False
            while True:
                # Only so much is sent ahead that no process waits: memory stays flat.
                while not broken and len(running) < 2 * self._jobs:
                    batch = next(batches, None)
                    if batch is None:
                        break
                    try:
                        running[pool.submit(_work, function, self._pack, batch)] = batch
                    except BrokenExecutor:
                        lost.extend(batch)
                        broken = True
                if not running:
                    break
                done, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    batch = running.pop(future)
                    try:
                        yield from future.result()
                    except BrokenExecutor:
                        lost.extend(batch)
                        broken = True
        if broken:
            lost.extend(itertools.chain.from_iterable(batches))

    def _one_by_one(self, tasks: Sequence[Task]) -> Iterator[Answer]:
        from concurrent.futures import BrokenExecutor

        remaining = iter(tasks)
        done = False
        while not done:
            with self._pool(1) as pool:
                for task in remaining:
                    try:
                        yield from pool.submit(_work, self._function, self._pack, [task]).result()
                    except BrokenExecutor:
                        yield self._crashed(task)
                        break
                else:
                    done = True


def _forks() -> bool:
    """Whether a new process begins with all that this one knows."""
    import multiprocessing

    return multiprocessing.get_start_method() == "fork"


@dataclasses.dataclass(frozen=True, slots=True)
class _Watched(Generic[Task, Answer]):
    """Does a task, and says when it begins and ends."""

    function: Callable[[Task], Answer]
    watch: Callable[[Task | None], None]

    def __call__(self, task: Task) -> Answer:
        self.watch(task)
        answer = self.function(task)
        self.watch(None)
        return answer


def _enter(start: Callable[..., None] | None, start_args: tuple[Any, ...]) -> None:
    import threading

    gc.disable()
    threading.Thread(target=_end_with_parent, daemon=True).start()
    if start is not None:
        start(*start_args)


def _end_with_parent() -> None:
    """Wait for the process that started this one: were it killed, this one would wait forever."""
    from multiprocessing import connection, parent_process

    parent = parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os._exit(1)


@contextlib.contextmanager
def uncollected() -> Iterator[None]:
    """Do without the search for circles of objects.

    A run keeps millions of small objects and makes next to no circles; half of the time of a large
    run went into looking for them.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _batches(tasks: Iterable[Task], count: int, jobs: int) -> Iterator[list[Task]]:
    """Lots of tasks: of so many as are known smaller ones towards the end, so that none waits.

    Args:
        tasks: all of them.
        count: how many there are; 0 where that is not known.
        jobs: how many processes do them.
    """
    source = iter(tasks)
    while batch := list(itertools.islice(source, _size(count, jobs))):
        count = max(count - len(batch), 0)
        yield batch


def _size(left: int, jobs: int) -> int:
    return min(BATCH, max(left // (_LOTS * jobs), 1)) if left else BATCH


def _work(
    function: Callable[[Task], Answer], pack: Callable[[Answer], Answer] | None, batch: list[Task]
) -> list[Answer]:
    def answer(task: Task) -> Answer:
        return pack(function(task)) if pack is not None else function(task)

    return run_deep(lambda: list(map(answer, batch)))
