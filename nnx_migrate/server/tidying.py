"""Searches for circles of objects, when nobody waits for an answer.

Python searches whenever so many objects are made, and goes through all that is known of a project
for it, which took a third of an answer. So whoever starts the server turns that off
(`workers.uncollected`).
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import functools
import gc
from collections.abc import Mapping
from types import MappingProxyType

#: By generation, the seconds without a look before it is searched: what was made last, and all.
_PAUSES = MappingProxyType({1: 1.0, 2: 60.0})


class Tidying:
    """When to search next.

    Args:
        thread: does it, as it does all other work.
        pauses: by generation, the seconds before it is searched.
    """

    def __init__(
        self, thread: concurrent.futures.Executor, pauses: Mapping[int, float] = _PAUSES
    ) -> None:
        self._thread = thread
        self._pauses = pauses
        self._waiting: list[asyncio.TimerHandle] = []

    def later(self) -> None:
        """Search, unless it is put off before."""
        self.put_off()
        loop = asyncio.get_running_loop()
        for generation, pause in self._pauses.items():
            search = functools.partial(loop.run_in_executor, self._thread, gc.collect, generation)
            self._waiting.append(loop.call_later(pause, search))

    def put_off(self) -> None:
        """Search for nothing until `later` is called again."""
        while self._waiting:
            self._waiting.pop().cancel()
