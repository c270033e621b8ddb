"""The process that draws the bar: `python -m nnx_migrate.report.progress.drawing colour|plain`.

It reads lines of words with tabs between them: `done STAGE NUMBER TOTAL`, `at PROCESS FILE`, `end`.
"""

from __future__ import annotations

import os
import queue
import signal
import sys
import threading
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

#: Shorter runs need no bar.
_SECONDS_BEFORE = 0.3
_SECONDS_BETWEEN = 0.2
#: A file that takes longer is named.
_SLOW = 2.0
#: Columns of all but that name.
_OTHERS = 60
_LEAST = 20

_MOST_READ = 65536

Words = list[str]


class Drawing:
    """What is drawn.

    Args:
        bar: of rich.
    """

    def __init__(self, bar: Progress) -> None:
        self._bar = bar
        self._stage = ""
        self._task: TaskID | None = None
        self._done = 0
        #: The file that each process works on, and since when.
        self._at: dict[str, tuple[str, float]] = {}

    def take(self, words: Words, now: float) -> None:
        """Take note of a message."""
        match words:
            case ["done", stage, done, total]:
                self._enter(stage, int(total))
                self._count(max(self._done, int(done)))
            case ["at", process, ""]:
                # What is done is heard of by the batch, and of each file here.
                if self._at.pop(process, None) is not None:
                    self._count(self._done + 1)
            case ["at", process, file]:
                self._at[process] = (file, now)

    def draw(self, now: float) -> None:
        """Draw what is known, with the file that takes long."""
        if self._task is not None:
            room = self._bar.console.width - _OTHERS
            self._bar.update(self._task, slow=slow_file(self._at, now, room))
        self._bar.refresh()

    def _count(self, done: int) -> None:
        self._done = done
        if self._task is not None:
            self._bar.update(self._task, completed=done)

    def _enter(self, stage: str, total: int) -> None:
        if stage == self._stage:
            return
        if self._task is not None:
            self._bar.refresh()
            self._bar.remove_task(self._task)
        self._stage = stage
        self._done = 0
        self._at.clear()
        self._task = self._bar.add_task(f"{stage} files", total=total or None, slow="")
        self._bar.refresh()


def slow_file(at: dict[str, tuple[str, float]], now: float, room: int) -> str:
    """The file that has been worked on longest, if that is long.

    Args:
        at: files, and since when.
        now: the time.
        room: columns that there are.
    """
    if not at or room < _LEAST:
        return ""
    file, since = min(at.values(), key=lambda each: each[1])
    if now - since < _SLOW:
        return ""
    took = f" ({now - since:.0f} s)"
    room -= len(took)
    return (file if len(file) <= room else f"…{file[1 - room :]}") + took


def main() -> None:
    """Draw until it is said that the run has ended, or nobody is left to say so."""
    # Ctrl-C ends the run, which then says so here.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    messages: queue.SimpleQueue[Words] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(messages,), daemon=True).start()
    time.sleep(_SECONDS_BEFORE)
    early = _waiting(messages)
    if early and early[-1] == ["end"]:
        return
    bar = _bar(colour=sys.argv[1:] == ["colour"])
    with bar:
        _show(Drawing(bar), early, messages)


def _show(drawing: Drawing, early: list[Words], messages: queue.SimpleQueue[Words]) -> None:
    for words in early:
        drawing.take(words, time.monotonic())
    drawn = 0.0
    while True:
        try:
            words = messages.get(timeout=_SECONDS_BETWEEN)
        except queue.Empty:
            words = []
        if words == ["end"]:
            return
        now = time.monotonic()
        drawing.take(words, now)
        if now - drawn >= _SECONDS_BETWEEN:
            drawing.draw(now)
            drawn = now


def _read(messages: queue.SimpleQueue[Words]) -> None:
    # Not through sys.stdin: Python ends with an error where a thread waits in one of its readers.
    begun = b""
    while read := os.read(0, _MOST_READ):
        *lines, begun = (begun + read).split(b"\n")
        for line in lines:
            messages.put(line.decode("utf-8", "replace").split("\t"))
    messages.put(["end"])


def _waiting(messages: queue.SimpleQueue[Words]) -> list[Words]:
    found = []
    while not messages.empty():
        found.append(messages.get())
    return found


def _bar(*, colour: bool) -> Progress:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        SpinnerColumn,
        TextColumn,
        TimeElapsedColumn,
    )

    console = Console(
        file=sys.stderr, no_color=not colour, markup=False, highlight=False, emoji=False
    )
    return Progress(
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=20),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[slow]}", markup=False),
        console=console,
        auto_refresh=False,
        transient=True,
    )


if __name__ == "__main__":
    main()
