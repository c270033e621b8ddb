"""A limit of time for work in this process, which ends it by an exception.

Only Python code can be ended so: a call into C goes on until it returns. Processes that may be
killed are `nnx_migrate.batch`'s.
"""

from __future__ import annotations

import contextlib
import ctypes
import threading
from collections.abc import Iterator


class TookTooLong(BaseException):
    """The time is over; no `except Exception` on the way may keep this to itself."""


@contextlib.contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """End what runs inside when its time is over.

    Args:
        seconds: wall time that it may take.

    Raises:
        TookTooLong: it took more.
    """
    thread = threading.get_ident()
    lock = threading.Lock()
    state = {"over": False, "ended": False}

    def end() -> None:
        with lock:
            if not state["over"]:
                state["ended"] = True
                raised = ctypes.py_object(TookTooLong)
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), raised)

    timer = threading.Timer(seconds, end)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        with lock:
            state["over"] = True
        if state["ended"]:
            _await_the_exception()


def _await_the_exception() -> None:
    # It was ordered before the end, and comes within a few steps of the interpreter, if it has not
    # come yet: here, where whoever asked for it still waits for it.
    for _ in range(10_000):
        pass
