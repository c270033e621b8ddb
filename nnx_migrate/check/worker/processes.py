"""Worker processes, one for each column: a case that hangs or crashes costs itself only."""

from __future__ import annotations

import contextlib
import dataclasses
import multiprocessing
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import TimeoutError as TookTooLong
from pathlib import Path
from typing import Any, Protocol, TypeVar

from pebble import ProcessExpired, ProcessPool

from nnx_migrate.check.compare.forms import NotDone
from nnx_migrate.check.jobs import Column, Job, Limits, WorkerSettings
from nnx_migrate.check.worker.column import start
from nnx_migrate.core.interrupts import uninterrupted

_Given = TypeVar("_Given")


class Pending(Protocol):
    """A case under way."""

    def result(self) -> Any:
        """What the worker returned.

        Raises:
            TimeoutError, ProcessExpired, Exception: it did not end well.
        """


@dataclasses.dataclass(frozen=True, slots=True)
class Workers:
    """The running workers of one check.

    Args:
        pools: the process of each column, by its name.
        columns: the columns.
        limits: what a case may take.
    """

    pools: Mapping[str, ProcessPool]
    columns: Sequence[Column]
    limits: Limits

    def submit(
        self, function: Callable[[Column, Job], _Given], column: Column, job: Job
    ) -> Pending:
        """Queues a case on a column.

        Args:
            function: an entry point of `worker`.
            column: the one whose process is to run it.
            job: the case.
        """
        with uninterrupted():
            pending: Pending = self.pools[column.name].schedule(
                function, args=(column, job), timeout=self.limits.seconds
            )
        return pending

    def settle(self, pending: Pending, expected: type[_Given]) -> _Given | NotDone:
        """Waits for a case.

        Args:
            pending: what `submit` gave.
            expected: the type of its result.

        Returns:
            The result; why there is none, where the process was stopped or died.
        """
        try:
            found = pending.result()
        except TookTooLong:
            return NotDone(f"stopped after {self.limits.seconds:g} s (--timeout)")
        except ProcessExpired as error:
            memory = " (--memory is a limit, too)" if self.limits.gigabytes else ""
            return NotDone(f"the process died with exit code {error.exitcode}{memory}")
        except MemoryError:
            most = self.limits.gigabytes
            return NotDone(f"more than {most:g} GB of memory (--memory)" if most else "no memory")
        except (Exception, SystemExit) as error:
            return NotDone(f"{type(error).__name__}: {error}"[:1000])
        if isinstance(found, NotDone):
            return found
        assert isinstance(found, expected)
        return found


@contextlib.contextmanager
def running_workers(
    columns: Sequence[Column],
    limits: Limits,
    environment: Mapping[str, str],
    logs: Path,
    suffix: str = "",
) -> Iterator[Workers]:
    """Starts a process for each column and ends them all.

    Args:
        columns: what is run.
        limits: what a case may take.
        environment: variables for every process.
        logs: a folder that takes what the user's code prints, a file for each column.
        suffix: tells these files from those of other processes of the same columns.
    """
    spawned = multiprocessing.get_context("spawn")
    pools = {
        column.name: ProcessPool(
            max_workers=1,
            max_tasks=limits.cases,
            context=spawned,
            initializer=start,
            initargs=(
                WorkerSettings(
                    column, environment, limits.gigabytes, logs / f"{column.name}{suffix}.log"
                ),
            ),
        )
        for column in columns
    }
    try:
        yield Workers(pools, columns, limits)
    finally:
        for pool in pools.values():
            pool.stop()
        for pool in pools.values():
            pool.join()
