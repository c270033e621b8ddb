"""Which files of many have to be looked into; the cost of a run over a tree that never says nnx.

Reading and searching 20,000 files takes 0.3 s, all of it in the kernel and in `bytes.rfind`, so it
is shared with other processes when there are thousands of files. Threads do not help: the search
keeps Python's lock. mmap is slower than reading for files of this size.
"""

from __future__ import annotations

import contextlib
import dataclasses
import errno
import os
import signal
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    from nnx_migrate.sources.walk.ignores import Ignores

T = TypeVar("T")
#: Looks at files of a folder, which is given as its path, and the names of the files.
Look = Callable[[str, Sequence[str]], T]

#: Stands in no name.
_BETWEEN = "/"
_CHUNK = 128 * 1024
_FLAGS = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
#: A file may become a pipe after it was found, and nobody may ever write into that.
_FLAGS |= getattr(os, "O_NONBLOCK", 0)
#: Bytes of a configuration or a list of patterns.
LARGEST_SETTINGS = 4 * 1024 * 1024
#: A process for fewer files costs more than it saves.
_WORTH_A_PROCESS = 2_000
_MOST_PROCESSES = 4


@dataclasses.dataclass(frozen=True, slots=True)
class Listing:
    """The Python files of one folder.

    Args:
        shown: the folder as it is named in reports.
        real: its real path.
        joined: the names of the files in it. Of a million files that never say nnx they are kept
            until the run knows which of these matter, and each alone would take 60 bytes.
        count: how many these are.
        rules: the patterns that count in it.
    """

    shown: str
    real: str
    joined: str
    count: int
    rules: Ignores

    @classmethod
    def of(cls, shown: str, real: str, names: Sequence[str], rules: Ignores) -> Listing:
        """Make one of names."""
        return cls(shown, real, _BETWEEN.join(names), len(names), rules)

    @property
    def names(self) -> list[str]:
        """The names of the files in it."""
        return _split(self.joined)


def _split(joined: str) -> list[str]:
    return joined.split(_BETWEEN) if joined else []


class TooLarge(OSError):
    """A file was not read, because of its size.

    Args:
        size: in bytes.
    """

    def __init__(self, size: int) -> None:
        super().__init__(errno.EFBIG, "it is too large")
        self.size = size


def read_file(path: str | os.PathLike[str], most: int | None = None) -> bytes:
    """Return the bytes of a regular file, with as few system calls as the file allows.

    Args:
        path: the file.
        most: so many bytes are not taken any more.

    Raises:
        TooLarge: it is as large as that.
        OSError: it cannot be read.
    """
    descriptor = os.open(path, _FLAGS)
    try:
        data = os.read(descriptor, _CHUNK)
        if most is not None and len(data) >= most:
            raise TooLarge(os.fstat(descriptor).st_size)
        if len(data) < _CHUNK:
            return data
        _require_regular(descriptor)
        if most is not None and (size := os.fstat(descriptor).st_size) >= most:
            raise TooLarge(size)
        chunks = [data]
        while chunk := os.read(descriptor, 8 * _CHUNK):
            chunks.append(chunk)
        return b"".join(chunks)
    finally:
        os.close(descriptor)


def read_settings(path: str | os.PathLike[str]) -> bytes:
    """Return the bytes of a file that says how a run is to be done.

    Such a file is opened because of its name: it may be a link to a device without end.

    Args:
        path: the file.

    Raises:
        TooLarge: nobody writes as much by hand.
        OSError: it is not a regular file, or cannot be read.
    """
    descriptor = os.open(path, _FLAGS)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "it is not a regular file", os.fspath(path))
        if status.st_size > LARGEST_SETTINGS:
            raise TooLarge(status.st_size)
        with open(descriptor, "rb", closefd=False) as file:
            return file.read(LARGEST_SETTINGS)
    finally:
        os.close(descriptor)


def _require_regular(descriptor: int) -> None:
    """Stops at what has become a device since it was found: it may have no end."""
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        raise OSError(errno.EINVAL, "it is no longer a regular file")


def may_use_nnx(data: bytes) -> bool:
    """Return whether a file with these bytes can mention Flax NNX by name."""
    # Searching from the end takes 2/3 of the time of `in` for so short a word (CPython 3.11).
    return data.rfind(b"nnx") != -1


def says_nnx(path: str | os.PathLike[str]) -> bool:
    """Return the same of a file on disk, of which no more than a part is held at a time.

    Raises:
        OSError: it cannot be read.
    """
    descriptor = os.open(path, _FLAGS)
    try:
        data = os.read(descriptor, _CHUNK)
        if len(data) < _CHUNK or may_use_nnx(data):
            return may_use_nnx(data)
        _require_regular(descriptor)
        while chunk := os.read(descriptor, 8 * _CHUNK):
            if may_use_nnx(data[-2:] + chunk):
                return True
            data = chunk
        return False
    finally:
        os.close(descriptor)


def scan(listings: Iterable[Listing], jobs: int) -> Iterator[tuple[Listing, list[str]]]:
    """Yield each folder in turn, with the names of the files that say nnx or cannot be read.

    Args:
        listings: the folders; processes start on the first ones while the others are listed.
        jobs: how many processes may be used, this one included.
    """
    return shared(_marked, listings, jobs)


def shared(look: Look[T], listings: Iterable[Listing], jobs: int) -> Iterator[tuple[Listing, T]]:
    """Yield each folder in turn, with what `look` gives for its path and the names of its files.

    Args:
        look: called in any of the processes.
        listings: the folders; processes start on the first ones while the others are listed.
        jobs: how many processes may be used, this one included.
    """
    helpers: list[_Helper[T]] = []
    # Elsewhere than on Linux a new process has to import everything again.
    most = min(jobs, _MOST_PROCESSES) - 1 if sys.platform == "linux" else 0
    rest: list[Listing] = []
    waiting = 0
    for listing in listings:
        rest.append(listing)
        waiting += listing.count
        if waiting >= _WORTH_A_PROCESS and len(helpers) < most:
            helpers.append(_Helper(look, rest))
            rest, waiting = [], 0
    own, *shares = _shares(rest, waiting, len(helpers))
    for helper, share in zip(helpers, shares, strict=True):
        yield from helper.answers()
        helper.ask(share)
    yield from ((listing, look(listing.shown, listing.names)) for listing in own)
    for helper in helpers:
        yield from helper.answers()


def _shares(rest: Sequence[Listing], names: int, helpers: int) -> list[Sequence[Listing]]:
    """Cut what is left into one share for this process and one for each helper."""
    begin = done = 0
    shares: list[Sequence[Listing]] = []
    for end, listing in enumerate(rest, start=1):
        done += listing.count
        if len(shares) < helpers and done * (helpers + 1) >= names * (len(shares) + 1):
            shares.append(rest[begin:end])
            begin = end
    shares += [rest[begin:]] if len(shares) <= helpers else []
    return [*shares, *[[]] * (helpers + 1 - len(shares))]


class _Helper(Generic[T]):
    """A process that looks at folders, first at those that it is made with."""

    def __init__(self, look: Look[T], share: Sequence[Listing]) -> None:
        import multiprocessing

        context = multiprocessing.get_context("fork")
        self._look = look
        self._share = share
        self._end, other = context.Pipe()
        arguments = (look, share, other, self._end)
        context.Process(target=_serve, args=arguments, daemon=True).start()
        other.close()

    def ask(self, share: Sequence[Listing]) -> None:
        self._share = share
        with contextlib.suppress(OSError):  # a process that was killed
            self._end.send([(listing.shown, listing.joined) for listing in share])

    def answers(self) -> Iterator[tuple[Listing, T]]:
        try:
            seen: Iterable[T] = self._end.recv()
        except (EOFError, OSError):  # a process that was killed
            seen = (self._look(listing.shown, listing.names) for listing in self._share)
        yield from zip(self._share, seen, strict=True)


def _serve(
    look: Look[Any], share: Sequence[Listing], end: Connection, others_end: Connection
) -> None:
    others_end.close()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # this process ends with the one that asks
    end.send([look(listing.shown, listing.names) for listing in share])
    with contextlib.suppress(EOFError):
        end.send([look(shown, _split(joined)) for shown, joined in end.recv()])


def _marked(shown: str, names: Sequence[str]) -> list[str]:
    prefix = os.path.join(shown, "")
    return [name for name in names if _is_marked(prefix + name)]


def _is_marked(path: str) -> bool:
    try:
        return says_nnx(path)
    except OSError:
        return True


def digest_of(data: bytes) -> bytes:
    """The digest by which a run knows a file's bytes."""
    import hashlib

    return hashlib.blake2b(data, digest_size=16).digest()
