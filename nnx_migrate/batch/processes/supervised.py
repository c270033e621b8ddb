"""Processes that may hang, exhaust their memory or die: each costs the file that it worked on.

What is lost with a process is done again alone, in a process of its own; what fails there as well
is quarantined. pebble stops what takes too long and starts another process in its place.
"""

from __future__ import annotations

import contextlib
import dataclasses
import gc
import itertools
import multiprocessing
import os
import signal
from collections import deque
from collections.abc import Callable, Collection, Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures import TimeoutError as TookTooLong
from concurrent.futures.process import BrokenProcessPool
from typing import Any, Generic

from pebble import ProcessExpired, ProcessPool
from pebble.pool.process import WORKERS_NAME

from nnx_migrate.batch.processes.limits import Limits, limit_memory
from nnx_migrate.core.deep_stack import run_deep
from nnx_migrate.core.interrupts import uninterrupted
from nnx_migrate.engine.workers import BATCH, FEWER, Answer, Task
from nnx_migrate.sources.config_values import ConfigError

#: How a process ends itself that has no memory left.
NO_MEMORY = 77
_DIED = "the process that worked on it died"
_SAFE_PATH = "PYTHONSAFEPATH"
#: Seconds between looks at a pool that says nothing: it may have gone without a word.
_A_LOOK = 5.0


@dataclasses.dataclass(frozen=True, slots=True)
class Work(Generic[Task, Answer]):
    """What processes do with tasks.

    Args:
        function: importable; takes one task, returns an answer and raises nothing.
        given_up: makes the answer for a task that failed twice, from the reason.
        exhausted: importable; whether an answer tells that there was no memory.
        start: importable; called once in each process before its first task.
        start_args: its arguments, sent once to each process.
        pack: importable; makes an answer fit to be sent.
    """

    function: Callable[[Task], Answer]
    given_up: Callable[[Task, str], Answer]
    exhausted: Callable[[Answer], bool]
    start: Callable[..., None] | None = None
    start_args: tuple[Any, ...] = ()
    pack: Callable[[Answer], Answer] | None = None

    def sent(self) -> tuple[Any, ...]:
        """What goes along with each batch: no more than names."""
        return self.function, self.exhausted, self.pack


@dataclasses.dataclass(slots=True)
class Batch(Generic[Task]):
    """Tasks that are sent together.

    Args:
        tasks: one or more.
        again: it is alone, after it was lost once.
    """

    tasks: list[Task]
    again: bool = False


class Supervised(Generic[Task, Answer]):
    """Applies a function to tasks in processes of this machine.

    Args:
        work: what is done.
        jobs: how many processes.
        limits: what a task may take. A batch has the time of one: the few that need more are done
            again alone.
    """

    def __init__(self, work: Work[Task, Answer], jobs: int, limits: Limits) -> None:
        self._work = work
        self._jobs = jobs
        self._limits = limits

    def map(self, tasks: Iterable[Task]) -> Iterator[Answer]:
        """Yield an answer for each task, in any order; tasks are taken no faster than done.

        Raises:
            ConfigError: processes cannot be started.
        """
        batches = batched(tasks)
        first = list(itertools.islice(batches, self._jobs))
        source = itertools.chain(first, batches)
        again: deque[Batch[Task]] = deque()
        suspects: deque[Batch[Task]] = deque()
        whole = not first
        while not whole:
            whole = yield from self._in_pool(len(first), source, again, suspects)
        for batch in suspects:
            # Nobody else is there now whose death it could be.
            whole = yield from self._in_pool(1, iter([batch]), again, again)
            if not whole:
                yield from given_up_or_again(self._work, batch, _DIED, again)
                again.clear()

    def _in_pool(
        self,
        jobs: int,
        batches: Iterator[Batch[Task]],
        again: deque[Batch[Task]],
        suspects: deque[Batch[Task]],
    ) -> Generator[Answer, None, bool]:
        """Do batches, and return whether the pool outlived them.

        A process that dies before pebble knows what it was given takes the pool with it. Then what
        was under way is done again; what was alone already is a suspect.
        """
        running: dict[Future[list[Answer]], Batch[Task]] = {}
        started = False
        with self._pool(jobs) as pool:
            try:
                while True:
                    while len(running) < 2 * jobs:
                        batch = again.popleft() if again else next(batches, None)
                        if batch is None:
                            break
                        try:
                            running[self._sent(pool, batch)] = batch
                        except BrokenProcessPool as error:
                            if not started:
                                # Another pool would not start either.
                                raise _cannot_start(error) from None
                            again.appendleft(batch)
                            raise
                        started = True
                    if not running:
                        return True
                    for future in _done(pool, running):
                        try:
                            answers = future.result()
                        except BrokenProcessPool:
                            raise
                        except Exception as error:
                            why = self._why(error)
                            lost = running.pop(future)
                            yield from given_up_or_again(self._work, lost, why, again)
                        else:
                            del running[future]
                            yield from answers
            except BrokenProcessPool:
                for batch in running.values():
                    if batch.again:
                        suspects.append(batch)
                    else:
                        again.extend(Batch([task], again=True) for task in batch.tasks)
                return False

    @contextlib.contextmanager
    def _pool(self, jobs: int) -> Iterator[ProcessPool]:
        others = multiprocessing.active_children()
        # A fork of a process that has threads may hang: these start as new ones.
        pool = ProcessPool(
            jobs,
            context=multiprocessing.get_context("spawn"),
            initializer=enter,
            initargs=(self._work.start, self._work.start_args, self._limits),
        )
        try:
            with _safe_path():
                yield pool
                pool.close()
        finally:
            pool.stop()
            for process in multiprocessing.active_children():
                if process.name == WORKERS_NAME and process not in others:
                    # One that just starts would miss what the pool closes now, and say so.
                    process.terminate()
            pool.join()

    def _sent(self, pool: ProcessPool, batch: Batch[Task]) -> Future[list[Answer]]:
        args = (*self._work.sent(), batch.tasks)
        try:
            with uninterrupted():
                future: Future[list[Answer]] = pool.schedule(
                    _do_or_end, args=args, timeout=self._limits.seconds
                )
        except (RuntimeError, OSError) as error:  # it is broken, and says so in other words
            raise BrokenProcessPool from error
        return future

    def _why(self, error: BaseException) -> str:
        if isinstance(error, TookTooLong):
            return self._limits.too_slow()
        if isinstance(error, ProcessExpired) and error.exitcode == NO_MEMORY:
            return self._limits.too_large()
        if isinstance(error, ProcessExpired):
            return f"{_DIED} ({death(error.exitcode)})"
        return f"{type(error).__name__}: {error}"


def _done(pool: ProcessPool, running: Collection[Future[Any]]) -> Iterable[Future[Any]]:
    """Wait for what ends next.

    Raises:
        BrokenProcessPool: nothing ever will.
    """
    while not (done := wait(running, timeout=_A_LOOK, return_when=FIRST_COMPLETED).done):
        if not pool.active:
            raise BrokenProcessPool
    return done


def _cannot_start(error: BaseException) -> ConfigError:
    why: BaseException | None = error
    while why is not None and not isinstance(why, OSError):
        why = why.__cause__
    reason = (why and why.strerror) or why or error
    return ConfigError(f"cannot start worker processes: {reason}; {FEWER}")


def given_up_or_again(
    work: Work[Task, Answer], batch: Batch[Task], reason: str, lost: deque[Batch[Task]]
) -> Iterator[Answer]:
    """What becomes of a batch that was lost: its tasks are done again alone, once.

    Args:
        work: what was done.
        batch: the tasks.
        reason: why it was lost.
        lost: takes what is to be done again.
    """
    if batch.again:
        yield from (work.given_up(task, reason) for task in batch.tasks)
    else:
        lost.extend(Batch([task], again=True) for task in batch.tasks)


def death(code: int) -> str:
    """How a process ended, in words."""
    if code < 0:
        with contextlib.suppress(ValueError):
            return signal.Signals(-code).name
    return f"exit code {code}"


def batched(tasks: Iterable[Task]) -> Iterator[Batch[Task]]:
    """The tasks in lots that are worth sending."""
    source = iter(tasks)
    while lot := list(itertools.islice(source, BATCH)):
        yield Batch(lot)


def enter(start: Callable[..., None] | None, start_args: tuple[Any, ...], limits: Limits) -> None:
    """Make this process one that does batches."""
    gc.disable()
    limit_memory(limits)
    if start is not None:
        start(*start_args)


def do_batch(
    function: Callable[[Task], Answer],
    exhausted: Callable[[Answer], bool],
    pack: Callable[[Answer], Answer] | None,
    tasks: list[Task],
) -> list[Answer]:
    """Do tasks one after the other.

    Raises:
        MemoryError: this process has no memory left, and should end.
    """

    def answer(task: Task) -> Answer:
        found = function(task)
        if exhausted(found):
            raise MemoryError
        return pack(found) if pack is not None else found

    return run_deep(lambda: list(map(answer, tasks)))


@contextlib.contextmanager
def _safe_path() -> Iterator[None]:
    """Keep the current folder off the path of what is started here.

    A new process is a `python -c`, which would find a `types.py` of the user's before Python's own,
    and run it.
    """
    before = os.environ.get(_SAFE_PATH)
    os.environ[_SAFE_PATH] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[_SAFE_PATH]
        else:
            os.environ[_SAFE_PATH] = before


def _do_or_end(*args: Any) -> list[Any]:
    try:
        return do_batch(*args)
    except MemoryError:
        os._exit(NO_MEMORY)
