"""How far a long run has come, how fast it goes and how long it will take."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from typing import TextIO

from nnx_migrate.engine.discover import Progress
from nnx_migrate.report.progress.bar import bar_on
from nnx_migrate.report.terminal import colours, moves

#: A log is told no more often than this.
SECONDS_BETWEEN_LINES = 15.0


@contextlib.contextmanager
def batch_progress(stream: TextIO, *, quiet: bool = False) -> Iterator[Progress]:
    """A bar on a terminal, and a line now and then in a log; nothing where that is asked for."""
    if quiet:
        yield lambda _stage, _done, _total: None
    elif moves(stream):
        with bar_on(stream, colour=colours(stream)) as bar:
            yield bar
    else:
        yield LogLines(stream.write, time.monotonic)


class LogLines:
    """Progress as lines of a log.

    Args:
        write: takes a line.
        clock: seconds.
    """

    def __init__(self, write: Callable[[str], object], clock: Callable[[], float]) -> None:
        self._write = write
        self._clock = clock
        self._stage = ""
        self._begun = self._told = 0.0

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Take note of one more file."""
        now = self._clock()
        if stage != self._stage:
            self._stage, self._begun, self._told = stage, now, now
        if now - self._told >= SECONDS_BETWEEN_LINES:
            self._told = now
            self._write(f"nnx-migrate: {self._line(done, total, now)}\n")

    def _line(self, done: int, total: int, now: float) -> str:
        rate = done / (now - self._begun)
        text = f"{self._stage} {done:,}"
        if total:
            text += f" of {total:,}"
        text += f" files, {rate:,.0f}/s"
        if total and rate:
            text += f", {duration((total - done) / rate)} left"
        return text


def duration(seconds: float) -> str:
    """A time as people say it: "40 s", "12 min", "3 h 05 min"."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60:02} min"
