"""Running recursive code on a stack that is deep enough for real, generated files.

CPython's tokenizer refuses more than 200 nested brackets by itself, but a chain such as
`a + a + ...` of 3,000 terms exceeds the default recursion limit, in `ast` as in any walk over the
tree. On a thread with a large stack the limit can be raised without risking the process: measured
on 3.11, sums of 30,000 terms and chains of 50,000 attributes are read (the parser of 3.13 has a
limit of its own, between 1,500 and 3,000 terms). What exceeds even that is a RecursionError or
MemoryError of one file.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from typing import ParamSpec, TypeVar

STACK_BYTES = 512 * 1024 * 1024
_RECURSION_LIMIT = 20_000
#: Seconds to wait for a stack: that of a thread that has just ended goes a moment later.
_PATIENCE = 2.0
#: Seconds after which a wait looks up: Ctrl-C that comes just before it waits does not wake it.
_A_LOOK = 0.2

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


#: Words of the frame below all others. CPython takes memory for frames in pieces of twice what the
#: frame at hand needs at least, 16 KB at first, and lets go of each with its lowest frame: a call
#: that happens to cross the border of two pieces costs a mapping each time. From this frame on
#: there is one piece, of which only what is used is ever touched.
_FRAME_WORDS = 2_100_000


class _DeepThread(threading.Thread):
    """A thread with a large stack."""


def run_deep(
    function: Callable[Parameters, Result], *args: Parameters.args, **kwargs: Parameters.kwargs
) -> Result:
    """Call `function` on a thread with a large stack and return what it returns.

    A function that is on such a thread already calls it there. An interrupt ends the function
    first, wherever it is, so that it can clean up after itself; a second one does not wait.

    Raises:
        MemoryError: there is no memory for the stack.
        BaseException: whatever the function raises.
    """
    # Also in a process that was forked from such a thread: it goes on with a copy of its stack.
    if isinstance(threading.current_thread(), _DeepThread):
        return function(*args, **kwargs)
    results: list[Result] = []
    errors: list[BaseException] = []
    # An interrupted `Thread.join` takes a thread for ended that is not (python/cpython#90882).
    ended = threading.Event()

    def work() -> None:
        try:
            results.append(_in_one_piece(lambda: function(*args, **kwargs)))
        except BaseException as error:
            errors.append(error)
        finally:
            ended.set()

    old_limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(_RECURSION_LIMIT, old_limit))
    try:
        thread = _started(work)
        try:
            while not ended.wait(_A_LOOK):
                pass
        except KeyboardInterrupt:
            _interrupt(thread, ended)
            raise
        # Only one stack at a time fits into the memory that a process may have.
        thread.join()
    finally:
        sys.setrecursionlimit(old_limit)
    if errors:
        raise errors[0]
    return results[0]


def _in_one_piece(function: Callable[[], Result]) -> Result:
    return function()


_in_one_piece.__code__ = _in_one_piece.__code__.replace(co_stacksize=_FRAME_WORDS)


def _started(work: Callable[[], None]) -> threading.Thread:
    until = time.monotonic() + _PATIENCE
    while True:
        # A daemon, so that a second interrupt in the waiting thread can end the process.
        thread = _DeepThread(target=work, name="nnx-migrate-deep", daemon=True)
        old_size = threading.stack_size(STACK_BYTES)
        try:
            thread.start()
            return thread
        except RuntimeError as error:
            if time.monotonic() > until:
                raise MemoryError(f"no memory for a stack of {STACK_BYTES >> 20} MB") from error
            time.sleep(0.001)
        finally:
            threading.stack_size(old_size)


def _interrupt(thread: threading.Thread, ended: threading.Event) -> None:
    """Raise a KeyboardInterrupt in another thread, and wait until that has ended."""
    import ctypes

    if thread.ident is not None:
        ctypes.pythonapi.PyThreadState_SetAsyncExc(
            ctypes.c_ulong(thread.ident), ctypes.py_object(KeyboardInterrupt)
        )
    ended.wait()
