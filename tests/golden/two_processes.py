"""Programs run in two processes, both of them busy until nothing is left.

A process runs one mode. It runs all sides of a program one after the other, since what jax compiles
for the one it has for the next. The process of the other mode begins at the other end: where they
meet, each finds in the compilation cache what the other one has put there.
"""

from __future__ import annotations

import contextlib
import dataclasses
import tempfile
import threading
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from nnx_migrate.check.compare.forms import NotDone
from nnx_migrate.check.jobs import Column, Job, Limits, Mode, Ran, Side
from nnx_migrate.check.worker import column as worker
from nnx_migrate.check.worker.processes import Pending, Workers, running_workers

# To import jax costs as much as some ten programs.
_WORTH_A_PROCESS = 12
_AHEAD = 2


@dataclasses.dataclass(frozen=True, slots=True)
class Task:
    """A program to be run.

    Args:
        key: what its result goes by.
        mode: "graph" or "tree".
        program: a file, or a folder with main.py.
        drive: the file whose `drive` runs it.
    """

    key: tuple[int, str]
    mode: Mode
    program: Path
    drive: Path


Results = dict[tuple[int, str], Ran | NotDone]


def run_tasks(
    tasks: Sequence[Task], home: Path, limits: Limits, environment: Mapping[str, str]
) -> Results:
    """Runs programs in two processes, or in one where a second is not worth its start.

    Args:
        tasks: in any order.
        home: a folder; where the processes start.
        limits: what a program may take.
        environment: variables for every process.

    Returns:
        What came of each task, by its key.
    """
    ordered = sorted(tasks, key=lambda task: (task.drive, task.key[1], task.key[0]))
    modes = list(dict.fromkeys(task.mode for task in tasks))
    left = _Left({mode: deque(each for each in ordered if each.mode == mode) for mode in modes})
    with tempfile.TemporaryDirectory() as logs, ThreadPoolExecutor(2) as threads:

        def drain(number: int) -> Results:
            found: Results = {}
            # The second goes through everything the other way round.
            for mode, taken in left.shares(modes[:: 1 - 2 * number], from_end=bool(number)):
                column = Column(Side("old", home, ()), mode)
                folder = Path(logs) / f"{number}-{mode}"
                folder.mkdir()
                with running_workers([column], limits, environment, folder) as workers:
                    found |= _settled(taken, column, workers)
            return found

        one, two = threads.map(drain, range(2))
    return {**one, **two}


def _settled(tasks: Iterator[Task], column: Column, workers: Workers) -> Results:
    """Runs tasks in one process, which never waits, and takes no more than it needs for that."""
    found: Results = {}
    waiting: deque[tuple[Task, Pending]] = deque()
    for task in tasks:
        there = dataclasses.replace(column, side=Side("old", task.program, ()))
        job = Job(task.key[1], "function", task.drive, "drive")
        waiting.append((task, workers.submit(worker.run, there, job)))
        if len(waiting) == _AHEAD:
            first, pending = waiting.popleft()
            found[first.key] = workers.settle(pending, Ran)
    return found | {task.key: workers.settle(pending, Ran) for task, pending in waiting}


@dataclasses.dataclass(slots=True)
class _Left:
    """What nobody has taken yet."""

    queues: Mapping[Mode, deque[Task]]
    begun: set[Mode] = dataclasses.field(default_factory=set)
    lock: threading.Lock = dataclasses.field(default_factory=threading.Lock)

    def shares(
        self, modes: Sequence[Mode], *, from_end: bool
    ) -> Iterator[tuple[Mode, Iterator[Task]]]:
        """Gives the tasks of each mode that is not begun, or where help is worth a process."""
        for mode in modes:
            with self.lock:
                wanted = mode not in self.begun or len(self.queues[mode]) >= _WORTH_A_PROCESS
                self.begun.add(mode)
            if wanted:
                yield mode, self._taken(mode, from_end)

    def _taken(self, mode: Mode, from_end: bool) -> Iterator[Task]:
        queue = self.queues[mode]
        with contextlib.suppress(IndexError):
            while True:
                yield queue.pop() if from_end else queue.popleft()
