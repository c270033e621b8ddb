"""A task that kills its process costs that task; the others are all answered."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

import pytest

from nnx_migrate.core.deep_stack import run_deep
from nnx_migrate.engine import workers
from nnx_migrate.engine.workers import WORTH_A_POOL, Workers

_started: list[int] = []


def start(offset: int) -> None:
    _started[:] = [offset]


def work(task: int) -> tuple[int, int]:
    if task < 0:
        os._exit(1)
    return task, task + _started[0]


def crashed(task: int) -> tuple[int, int]:
    return task, 0


@pytest.mark.parametrize("jobs", [1, 2])
def test_every_task_is_answered_once(jobs: int) -> None:
    workers = Workers(work, jobs, crashed, start, (1000,))
    answers = sorted(workers.map(range(200)))
    assert answers == [(n, n + 1000) for n in range(200)]


def process(task: int) -> tuple[int, int]:
    return task, os.getpid()


def test_processes_are_started_for_many_tasks_only() -> None:
    def processes(number: int) -> set[int]:
        return {process for _, process in Workers(process, 2, crashed).map(range(number))}

    assert processes(WORTH_A_POOL - 1) == {os.getpid()}
    assert os.getpid() not in processes(WORTH_A_POOL)


def test_few_tasks_are_spread_when_the_first_take_their_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(workers, "_SOON", 0.0)
    answers = list(Workers(process, 2, crashed).map(range(9)))
    assert sorted(task for task, _ in answers) == list(range(9))
    assert answers[0] == (0, os.getpid())
    assert os.getpid() not in {process for _, process in answers[1:]}
    assert list(Workers(process, 2, crashed).map([1])) == [(1, os.getpid())]


@pytest.mark.parametrize("count", [1, 7, 64, 287, 5000])
def test_lots_become_smaller_towards_the_end(count: int) -> None:
    lots = [len(lot) for lot in workers._batches(iter(range(count)), count, 2)]
    assert sum(lots) == count
    assert lots == sorted(lots, reverse=True)
    assert (lots[0] <= workers.BATCH, lots[-1]) == (True, 1)


def negative(answer: tuple[int, int]) -> tuple[int, int]:
    return -answer[0], 0


@pytest.mark.parametrize(("number", "sign"), [(WORTH_A_POOL - 1, 1), (WORTH_A_POOL, -1)])
def test_answers_are_packed_when_they_are_sent(number: int, sign: int) -> None:
    answers = Workers(process, 2, crashed, pack=negative).map(range(number))
    assert sorted(sign * task for task, _ in answers) == list(range(number))


def test_no_tasks() -> None:
    assert list(Workers(work, 2, crashed, start, (1,)).map([])) == []


@pytest.mark.parametrize("killers", [[-1], [-1, -2, -3]])
def test_a_crash_costs_only_the_task_that_crashed(killers: list[int]) -> None:
    tasks = list(range(100))
    for place, killer in zip((3, 50, 102), killers, strict=False):
        tasks.insert(place, killer)
    answers = sorted(Workers(work, 2, crashed, start, (1000,)).map(iter(tasks)))
    expected = [(n, 0) for n in sorted(killers)] + [(n, n + 1000) for n in range(100)]
    assert answers == expected


def depth(n: int) -> int:
    return 0 if n == 0 else 1 + depth(n - 1)


def test_deep_recursion_is_possible_and_too_deep_is_an_exception() -> None:
    before = sys.getrecursionlimit(), threading.stack_size()
    assert run_deep(depth, 15_000) == 15_000
    with pytest.raises(RecursionError):
        run_deep(depth, 1_000_000)
    assert (sys.getrecursionlimit(), threading.stack_size()) == before


def leaf(n: int) -> int:
    return n


def called_often(n: int) -> int:
    return sum(map(leaf, range(200))) if n == 0 else called_often(n - 1)


def test_no_depth_maps_memory_for_each_call() -> None:
    resource = pytest.importorskip("resource")
    if not hasattr(resource, "RUSAGE_THREAD"):
        pytest.skip("needs the page faults of a thread")

    def faults() -> int:
        before = resource.getrusage(resource.RUSAGE_THREAD).ru_minflt
        for n in range(800, 1200):
            called_often(n)
        return int(resource.getrusage(resource.RUSAGE_THREAD).ru_minflt - before)

    assert run_deep(faults) < 500  # 13,000 where frames cross borders


def test_one_large_stack_at_a_time_fits_into_the_memory_of_a_process() -> None:
    program = """
import resource
from nnx_migrate.core.deep_stack import STACK_BYTES, run_deep
most = STACK_BYTES + 2**28
resource.setrlimit(resource.RLIMIT_DATA, (most, most))
assert sum(run_deep(lambda: run_deep(lambda: 1)) for _ in range(500)) == 500
"""
    # Beside another that wants the processor as well: only then do threads take time to go.
    running = [subprocess.Popen([sys.executable, "-c", program]) for _ in range(3)]
    assert [process.wait() for process in running] == [0, 0, 0]


def test_no_memory_for_a_stack_is_a_lack_of_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    def start(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr("nnx_migrate.core.deep_stack._PATIENCE", 0.05)
    monkeypatch.setattr(threading.Thread, "start", start)
    before = sys.getrecursionlimit(), threading.stack_size()
    with pytest.raises(MemoryError, match="no memory for a stack of 512 MB"):
        run_deep(depth, 10)
    assert (sys.getrecursionlimit(), threading.stack_size()) == before
