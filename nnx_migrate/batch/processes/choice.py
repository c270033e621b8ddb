"""Who does the work of a batch run: processes here, or on the nodes of a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol

from nnx_migrate.batch.processes.limits import Limits
from nnx_migrate.batch.processes.supervised import Supervised, Work
from nnx_migrate.engine.workers import Answer, Task


class Processes(Protocol):
    """Does work, whatever becomes of single processes."""

    #: Whether they read the files of this machine: what lies on disk is not sent to them.
    local: bool

    def map(self, work: Work[Task, Answer], tasks: Iterable[Task]) -> Iterator[Answer]:
        """Yield an answer for each task, in any order.

        Args:
            work: what is done.
            tasks: what with.
        """

    def check(self, function: Callable[..., Answer], *args: Any) -> Answer:
        """Call what runs old and new code, where that is to be done."""


class LocalProcesses:
    """Processes of this machine.

    Args:
        jobs: how many.
        limits: what a task may take.
    """

    local = True

    def __init__(self, jobs: int, limits: Limits) -> None:
        self._jobs = jobs
        self._limits = limits

    def map(self, work: Work[Task, Answer], tasks: Iterable[Task]) -> Iterator[Answer]:
        """See `Processes`."""
        return Supervised(work, self._jobs, self._limits).map(tasks)

    def check(self, function: Callable[..., Answer], *args: Any) -> Answer:
        """See `Processes`."""
        return function(*args)
