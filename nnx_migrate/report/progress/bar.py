"""A bar on a terminal that moves by a timer, and names the file that takes long.

It is drawn by a process of its own, which is told of each file through a pipe: a thread would not
be safe here, where processes are forked, and Python that computes draws nothing.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from nnx_migrate.report.text import printable

#: A message is written as a whole, or not at all, where it is no longer than this.
_NAME = 200
_SECONDS_TO_END = 5.0


@dataclasses.dataclass(frozen=True, slots=True)
class Bar:
    """Tells of files to who draws.

    Args:
        pipe: the descriptor to write to; processes that are forked from this one have it too.
    """

    pipe: int

    def __call__(self, stage: str, done: int, total: int) -> None:
        """So many files are done.

        Args:
            stage: what is done with them.
            done: how many.
            total: how many there are; 0 where that is not known yet.
        """
        self._tell("done", stage, str(done), str(total))

    def works_on(self, path: Path | None) -> None:
        """What this process does now: a file, or nothing."""
        name = printable(str(path))[-_NAME:] if path is not None else ""
        self._tell("at", str(os.getpid()), name)

    def _tell(self, *words: str) -> None:
        # Who draws may be gone, or too slow: the run goes on without.
        with contextlib.suppress(OSError):
            os.write(self.pipe, ("\t".join(words) + "\n").encode("utf-8", "backslashreplace"))


@contextlib.contextmanager
def bar_on(stream: TextIO, *, colour: bool) -> Iterator[Bar]:
    """A bar that is gone when the block ends.

    Args:
        stream: a terminal.
        colour: whether it may be coloured.
    """
    reading, writing = os.pipe()
    if os.name == "posix":
        os.set_blocking(writing, False)
    # -P: what lies in the current folder is not ours to run.
    command = [sys.executable, "-P", "-m", "nnx_migrate.report.progress.drawing"]
    stream.flush()
    process = subprocess.Popen(
        [*command, "colour" if colour else "plain"],
        stdin=reading,
        stdout=subprocess.DEVNULL,
        stderr=stream,
    )
    os.close(reading)
    bar = Bar(writing)
    try:
        yield bar
    finally:
        if os.name == "posix":
            os.set_blocking(writing, True)
        bar._tell("end")
        os.close(writing)
        try:
            process.wait(_SECONDS_TO_END)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
