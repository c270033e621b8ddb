"""Which files of many have to be looked into; the cost of a run over a tree that never says nnx.

Reading and searching 20,000 files takes 0.3 s, all of it in the kernel and in `bytes.rfind`, so it
is shared with other processes when there are thousands of files. Threads do not help: the search
keeps Python's lock. mmap is slower than reading for files of this size.
"""

from __future__ import annotations

import dataclasses
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    from nnx_migrate.sources.ignores import Ignores

_CHUNK = 128 * 1024
_FLAGS = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
#: A process for fewer files costs more than it saves.
_WORTH_A_PROCESS = 2_000
_MOST_PROCESSES = 4


@dataclasses.dataclass(frozen=True, slots=True)
class Listing:
    """The Python files of one folder.

    Args:
        shown: the folder as it is named in reports.
        real: its real path.
        names: the files in it.
        rules: the patterns that count in it.
    """

    shown: str
    real: str
    names: list[str]
    rules: Ignores


def read_file(path: str | os.PathLike[str]) -> bytes:
    """Return the bytes of a regular file, with as few system calls as the file allows.

    Raises:
        OSError: it cannot be read.
    """
    descriptor = os.open(path, _FLAGS)
    try:
        data = os.read(descriptor, _CHUNK)
        if len(data) < _CHUNK:
            return data
        chunks = [data]
        while chunk := os.read(descriptor, 8 * _CHUNK):
            chunks.append(chunk)
        return b"".join(chunks)
    finally:
        os.close(descriptor)


def may_use_nnx(data: bytes) -> bool:
    """Return whether a file with these bytes can mention Flax NNX by name."""
    # Searching from the end takes 2/3 of the time of `in` for so short a word (CPython 3.11).
    return data.rfind(b"nnx") != -1


def scan(listings: Sequence[Listing], jobs: int) -> Iterator[list[str]]:
    """Yield, for each folder in turn, the names of the files that say nnx or cannot be read.

    Args:
        listings: the folders.
        jobs: how many processes may be used, this one included.
    """
    first, *others = _shares(listings, jobs)
    helpers = [(share, _start(share)) for share in others]
    yield from map(_marked, first)
    for share, receiver in helpers:
        try:
            answers = receiver.recv()
        except EOFError:  # the process was killed
            answers = map(_marked, share)
        yield from answers


def _marked(listing: Listing) -> list[str]:
    prefix = os.path.join(listing.shown, "")
    return [name for name in listing.names if _is_marked(prefix + name)]


def _is_marked(path: str) -> bool:
    try:
        return may_use_nnx(read_file(path))
    except OSError:
        return True


def _shares(listings: Sequence[Listing], jobs: int) -> list[Sequence[Listing]]:
    """Cut the folders into shares with about as many files each."""
    total = sum(len(listing.names) for listing in listings)
    # Elsewhere than on Linux a new process has to import everything again.
    most = min(jobs, _MOST_PROCESSES) if sys.platform == "linux" else 1
    number = max(1, min(most, total // _WORTH_A_PROCESS))
    shares: list[Sequence[Listing]] = []
    begin = done = 0
    for end, listing in enumerate(listings, start=1):
        done += len(listing.names)
        if done * number >= total * (len(shares) + 1) and len(shares) < number - 1:
            shares.append(listings[begin:end])
            begin = end
    return [*shares, listings[begin:]]


def _start(share: Sequence[Listing]) -> Connection:
    import multiprocessing

    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    context.Process(target=_send, args=(share, sender), daemon=True).start()
    sender.close()
    return receiver


def _send(share: Sequence[Listing], sender: Connection) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # this process ends with the one that asked
    sender.send([_marked(listing) for listing in share])
