"""Ctrl-C that comes just before the main thread waits: nothing wakes that wait."""

from __future__ import annotations

import _thread
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from nnx_migrate.check.compare.case_verdicts import Strictness
from nnx_migrate.check.compare.comparison import DEFAULT
from nnx_migrate.check.jobs import Job, Limits, Method
from nnx_migrate.check.parallel import check_in_groups
from nnx_migrate.check.worker.processes import Workers
from nnx_migrate.core.deep_stack import run_deep

_SECONDS = 20.0


@pytest.fixture(autouse=True)
def interruptible() -> Iterator[None]:
    """Handle SIGINT, which is ignored in what a shell runs in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def _interrupt_late(ended: threading.Event) -> None:
    """Interrupt the main thread while it waits, by a way that does not end its wait."""
    time.sleep(0.3)
    _thread.interrupt_main()
    # What is waited for comes in the end: a test that fails does not hang.
    ended.wait(_SECONDS)


def test_a_check_ends_though_no_case_does(monkeypatch: pytest.MonkeyPatch) -> None:
    ended = threading.Event()

    def never(*_: object) -> list[object]:
        _interrupt_late(ended)
        return []

    monkeypatch.setattr("nnx_migrate.check.parallel.check_jobs", never)
    jobs = [Job("case", "function", Path("cases.py"), "case")]
    found = check_in_groups(jobs, [Workers({}, (), Limits())], Strictness(DEFAULT), Method.RUN)
    _ends_soon(lambda: list(found), ended)


def test_a_function_on_a_deep_stack_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    ended = threading.Event()

    def end(_: threading.Thread, over: threading.Event) -> None:
        ended.set()
        over.wait()

    monkeypatch.setattr("nnx_migrate.core.deep_stack._interrupt", end)
    _ends_soon(lambda: run_deep(_interrupt_late, ended), ended)


def _ends_soon(run: Callable[[], object], ended: threading.Event) -> None:
    start = time.monotonic()
    try:
        with pytest.raises(KeyboardInterrupt):
            run()
    finally:
        ended.set()
    assert time.monotonic() - start < _SECONDS / 2
