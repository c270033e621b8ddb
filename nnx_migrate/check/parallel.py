"""Cases over several groups of processes, and their results in the order of the cases."""

from __future__ import annotations

import contextlib
import queue
import threading
from collections import deque
from collections.abc import Iterator, Sequence

from nnx_migrate.check.compare.case_verdicts import Strictness
from nnx_migrate.check.compare.verdicts import CaseResult
from nnx_migrate.check.jobs import Job, Method
from nnx_migrate.check.matrix import check_jobs
from nnx_migrate.check.worker.processes import Workers

# Seconds after which a wait looks up: Ctrl-C that comes just before it waits does not wake it.
_A_LOOK = 0.2
# All of a group are traced before one is run: between them the modules are imported anew.
_FIRST, _MOST = 1, 32

_Found = tuple[int, CaseResult] | BaseException


def check_in_groups(
    jobs: Sequence[Job], workers: Sequence[Workers], strictness: Strictness, method: Method
) -> Iterator[CaseResult]:
    """Checks cases, the first ones soon.

    Args:
        jobs: the cases.
        workers: running; each takes the next cases when it has done its own.
        strictness: as for `check_jobs`.
        method: likewise.

    Yields:
        A result for each case, in their order.
    """
    groups = deque(_groups(len(jobs), len(workers)))
    found: queue.SimpleQueue[_Found] = queue.SimpleQueue()

    def work(own: Workers) -> None:
        try:
            while (numbers := _next(groups)) is not None:
                some = [jobs[number] for number in numbers]
                results = check_jobs(some, own, strictness, method)
                for each in zip(numbers, results, strict=True):
                    found.put(each)
        except BaseException as error:
            found.put(error)

    for own in workers:
        # An interrupt is the main thread's, and does not wait for these.
        threading.Thread(target=work, args=(own,), daemon=True).start()
    early: dict[int, CaseResult] = {}
    for number in range(len(jobs)):
        while number not in early:
            each = _next_found(found)
            if isinstance(each, BaseException):
                raise each
            early[each[0]] = each[1]
        yield early.pop(number)


def _next_found(found: queue.SimpleQueue[_Found]) -> _Found:
    while True:
        with contextlib.suppress(queue.Empty):
            return found.get(timeout=_A_LOOK)


def _next(groups: deque[range]) -> range | None:
    try:
        return groups.popleft()
    except IndexError:
        # Another thread was faster.
        return None


def _groups(count: int, workers: int) -> Iterator[range]:
    """Small ones first, for there is something to tell soon; and last, for all end together."""
    start, size, taken = 0, _FIRST, 0
    while start < count:
        even = -(-(count - start) // workers)
        end = start + max(1, min(size, even))
        yield range(start, min(end, count))
        start, taken = end, taken + 1
        if taken % workers == 0:
            size = min(_MOST, size * 2)
