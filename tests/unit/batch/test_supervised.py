"""A task that hangs, dies or takes all memory costs itself; every other task is answered once."""

from __future__ import annotations

import errno
import functools
import multiprocessing
import os
import signal
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest
from pebble.common.process import launch_process, stop_process

from nnx_migrate.batch.processes.limits import Limits
from nnx_migrate.batch.processes.supervised import Supervised, Work
from nnx_migrate.sources.config_values import ConfigError

HANG, DIE, GROW = 1003, 1033, 1070
_started: list[int] = []


def start(offset: int) -> None:
    _started[:] = [offset]


def work(task: int) -> tuple[int, str]:
    if task == HANG:
        time.sleep(1000)
    if task == DIE:
        os.abort()
    if task == GROW:
        try:
            bytearray(2**33)
        except MemoryError:
            return task, "no memory"
    return task, str(task + _started[0])


def once(folder: str, task: int) -> tuple[int, str]:
    """Dies the first time that it is given 7."""
    mark = os.path.join(folder, "met")
    if task == 7 and not os.path.exists(mark):
        open(mark, "w").close()
        os._exit(1)
    return task, "done"


def given_up(task: int, reason: str) -> tuple[int, str]:
    return task, f"given up: {reason}"


def exhausted(answer: tuple[int, str]) -> bool:
    return answer[1] == "no memory"


def test_each_task_is_answered_once_whatever_some_do() -> None:
    limits = Limits(seconds=5, gigabytes=1)
    supervised = Supervised(Work(work, given_up, exhausted, start, (1,)), 2, limits)
    answers = list(supervised.map(range(1000, 1100)))
    assert Counter(task for task, _ in answers) == Counter(range(1000, 1100))
    ended = {task: text for task, text in answers if text != str(task + 1)}
    assert ended == {
        HANG: "given up: it took more than 5 s (--timeout)",
        DIE: "given up: the process that worked on it died (SIGABRT)",
        GROW: "given up: it took more than 1 GB of memory (--memory)",
    }


def test_what_was_lost_without_fault_is_done(tmp_path: object) -> None:
    function = functools.partial(once, str(tmp_path))
    supervised = Supervised(Work(function, given_up, exhausted), 2, Limits())
    assert sorted(supervised.map(range(40))) == [(n, "done") for n in range(40)]


def test_no_processes_for_no_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nnx_migrate.batch.processes.supervised.ProcessPool", None)
    assert list(Supervised(Work(work, given_up, exhausted), 2, Limits()).map([])) == []


def test_tasks_are_taken_no_faster_than_done() -> None:
    taken: list[int] = []

    def source() -> object:
        for n in range(3000):
            taken.append(n)
            yield n

    answers = Supervised(Work(work, given_up, exhausted, start, (1,)), 1, Limits()).map(source())  # type: ignore[arg-type]
    next(answers)
    assert len(taken) < 500
    answers.close()  # type: ignore[attr-defined]


class Fragile:
    """A pool that breaks, with all that is under way, whenever it is given a task that kills."""

    killers: tuple[int, ...] = ()
    pools = 0

    def __init__(self, *args: object, **kwargs: object) -> None:
        Fragile.pools += 1
        self.waiting: list[tuple[Future[object], object]] = []
        self.broken = False

    def schedule(self, function: object, args: tuple[object, ...], timeout: float) -> object:
        if self.broken:
            raise RuntimeError("Unexpected error within the Pool")
        future: Future[object] = Future()
        tasks = args[-1]
        assert isinstance(tasks, list)
        if set(tasks) & set(self.killers):
            self.broken = True
            for waiting, _ in [*self.waiting, (future, tasks)]:
                waiting.set_exception(BrokenProcessPool())
        elif len(self.waiting) < 1:
            self.waiting.append((future, tasks))
        else:
            for waiting, done in [*self.waiting, (future, tasks)]:
                assert isinstance(done, list)
                waiting.set_result([(task, "done") for task in done])
            self.waiting = []
        return future

    def close(self) -> None:
        pass

    stop = join = close


@pytest.mark.parametrize("killers", [(), (5,), (5, 50), (0, 1, 2, 99)])
def test_a_pool_that_breaks_loses_no_task(
    monkeypatch: pytest.MonkeyPatch, killers: tuple[int, ...]
) -> None:
    monkeypatch.setattr("nnx_migrate.batch.processes.supervised.ProcessPool", Fragile)
    monkeypatch.setattr("nnx_migrate.batch.processes.supervised.wait", finished)
    monkeypatch.setattr(Fragile, "killers", killers)
    answers = list(Supervised(Work(work, given_up, exhausted), 2, Limits()).map(range(100)))
    told = "given up: the process that worked on it died"
    assert sorted(answers) == [(n, told if n in killers else "done") for n in range(100)]


def finished(running: object, timeout: float, return_when: object) -> object:
    """What a wait gives; what nobody will end now is ended well."""
    assert isinstance(running, dict)
    for future, batch in running.items():
        if not future.done():
            future.set_result([(task, "done") for task in batch.tasks])
    return wait(running)


@pytest.mark.parametrize("number", [1, 2])
def test_ctrl_c_while_processes_start_leaves_none(
    monkeypatch: pytest.MonkeyPatch, interruptible: threading.Event, number: int
) -> None:
    launch: Callable[..., object] = launch_process
    launched: list[object] = []

    def interrupted(*args: object, **kwargs: object) -> object:
        launched.append(launch(*args, **kwargs))
        if len(launched) == number:
            os.kill(os.getpid(), signal.SIGINT)
            assert interruptible.wait(timeout=10)
            time.sleep(0.1)
        return launched[-1]

    monkeypatch.setattr("pebble.pool.process.launch_process", interrupted)
    supervised = Supervised(Work(work, given_up, exhausted, start, (1,)), 2, Limits())
    with pytest.raises(KeyboardInterrupt):
        list(supervised.map(range(100)))
    assert len(launched) == 2
    assert multiprocessing.active_children() == []


def test_processes_that_are_still_starting_end_without_a_word(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "sitecustomize.py").write_text("import time\n\ntime.sleep(0.5)\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    def stop_late(process: BaseProcess) -> None:
        time.sleep(1)
        stop_process(process)

    monkeypatch.setattr("nnx_migrate.batch.processes.supervised._done", interrupted)
    monkeypatch.setattr("pebble.pool.process.stop_process", stop_late)
    supervised = Supervised(Work(work, given_up, exhausted, start, (1,)), 2, Limits())
    with pytest.raises(KeyboardInterrupt):
        list(supervised.map(range(100)))
    assert capfd.readouterr().err == ""


@pytest.fixture
def interruptible() -> Iterator[threading.Event]:
    """Lets a thread that does not block Ctrl-C get it, and says that it came."""
    came = threading.Event()
    ends = threading.Event()
    reads, writes = socket.socketpair()
    writes.setblocking(False)

    def waits() -> None:
        reads.recv(1)
        came.set()
        ends.wait()

    thread = threading.Thread(target=waits, daemon=True)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    wakes = signal.set_wakeup_fd(writes.fileno(), warn_on_full_buffer=False)
    thread.start()
    yield came
    ends.set()
    writes.send(b" ")
    thread.join()
    signal.set_wakeup_fd(wakes)
    signal.signal(signal.SIGINT, before)
    reads.close()
    writes.close()


def test_processes_that_cannot_be_started_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def launch(*args: object, **kwargs: object) -> None:
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr("pebble.pool.process.launch_process", launch)
    supervised = Supervised(Work(work, given_up, exhausted, start, (1,)), 2, Limits())
    with pytest.raises(
        ConfigError, match="cannot start worker processes: Too many open files; use"
    ):
        list(supervised.map(range(100)))


def test_semaphores_that_cannot_be_had_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def channels(context: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("pebble.pool.process.channels", channels)
    supervised = Supervised(Work(work, given_up, exhausted, start, (1,)), 2, Limits())
    with pytest.raises(ConfigError, match="cannot start worker processes: No space left on device"):
        list(supervised.map(range(100)))


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_pool_that_goes_without_a_word_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    from pebble.pool.process import PoolManager

    look: Callable[[PoolManager], None] = PoolManager.update_status
    looks = [0]

    def update_status(manager: PoolManager) -> None:
        looks[0] += 1
        if looks[0] == 2:
            raise OSError(errno.EAGAIN, "Resource temporarily unavailable")
        look(manager)

    monkeypatch.setattr(PoolManager, "update_status", update_status)
    monkeypatch.setattr(PoolManager, "schedule", _lost_at_first(PoolManager.schedule))
    monkeypatch.setattr("nnx_migrate.batch.processes.supervised._A_LOOK", 0.1)
    answers = list(Supervised(Work(work, given_up, exhausted, start, (1,)), 2, Limits()).map([1]))
    assert answers == [(1, "2")]


def _lost_at_first(schedule: Callable[..., object]) -> Callable[..., object]:
    calls = [0]

    def lost(*args: object) -> object:
        calls[0] += 1
        return None if calls[0] == 1 else schedule(*args)

    return lost
