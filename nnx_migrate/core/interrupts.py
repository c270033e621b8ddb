"""Ctrl-C while processes are started: it waits until their pool knows them."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from multiprocessing import resource_tracker


@contextlib.contextmanager
def uninterrupted() -> Iterator[None]:
    """Keep Ctrl-C from what is started here: processes end with the one that started them.

    One that this process hears of meanwhile waits. A worker would else be started that its pool
    does not know, and that nobody ends.
    """
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    # It would let Ctrl-C through again as it starts, before the first process.
    resource_tracker.ensure_running()
    with _later():
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextlib.contextmanager
def _later() -> Iterator[None]:
    """Put Ctrl-C off: another thread gets it where this one blocks it, but it is handled here."""
    handler = signal.getsignal(signal.SIGINT)
    if not callable(handler) or threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    signal.signal(signal.SIGINT, lambda number, _: came.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
        if came:
            signal.raise_signal(signal.SIGINT)
