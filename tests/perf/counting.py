"""Work as a number that is the same on every machine, however noisy."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable


def calls_during(work: Callable[[], object]) -> int:
    """How many calls and returns of functions `work` takes, in all threads that it starts."""
    events = itertools.count()
    thread = threading.Thread(target=work)
    threading.setprofile(lambda *_: next(events))
    try:
        thread.start()
        thread.join()
    finally:
        threading.setprofile(None)
    return next(events)
