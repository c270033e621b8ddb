"""Putting new bytes in place of a file so that nobody ever sees half of them."""

from __future__ import annotations

import contextlib
import errno
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from nnx_migrate.sources.scanning import TooLarge, read_file

#: Puts new bytes in the place of a file's old ones, or raises a WriteError: path, old, new.
Writer = Callable[[Path, bytes, bytes], None]
_SUFFIX = ".nnx-migrate"
_CHANGED = "changed while migrating"
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL
_NEW_FILE |= getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)


class WriteError(OSError):
    """A file was left exactly as it was.

    Args:
        reason: why, in words that fit behind "could not be written: ".
        no_room: whether that is because no space is left for it.
    """

    def __init__(self, reason: str, *, no_room: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.no_room = no_room


def write_atomically(path: Path, before: bytes, after: bytes, trees: Sequence[str] = ()) -> None:
    """Replace the bytes of a file: new file in the same folder, fsync, rename.

    Mode, and owner where the system allows it, are kept. A symbolic link stays one; its target is
    replaced. A process killed at any moment leaves either the old or the new bytes.

    Args:
        path: the file.
        before: the bytes that the new ones were made from.
        after: the new bytes.
        trees: real paths of the folders that it has to lie in, if any: a folder may have become a
            link to somewhere else.

    Raises:
        WriteError: the file changed since it was read, is read-only, or could not be replaced.
    """
    target = Path(os.path.realpath(path))
    _require_inside(str(target), trees)
    try:
        status = os.stat(target)
        current = read_file(target, len(before) + 1)
    except TooLarge:
        raise WriteError(_CHANGED) from None
    except OSError as error:
        raise WriteError(error.strerror or str(error)) from None
    if current != before:
        raise WriteError(_CHANGED)
    # Replacing needs no permission on the file itself, but a file made read-only is meant to stay.
    if not status.st_mode & 0o222 or not os.access(target, os.W_OK):
        raise WriteError("it is read-only")
    try:
        _remove_orphans(target)
        with _new_file(target, after, status) as new:
            # Writing took its time: somebody may have saved the file, or moved its folder.
            if os.path.realpath(path) != str(target) or _seen(os.stat(target)) != _seen(status):
                raise WriteError(_CHANGED)
            os.replace(new, target)
    except WriteError:
        raise
    except OSError as error:
        no_room = error.errno in (errno.ENOSPC, errno.EDQUOT)
        raise WriteError(error.strerror or str(error), no_room=no_room) from None


def real_trees(paths: Iterable[Path]) -> tuple[str, ...]:
    """Where files that were named, or that lie in named folders, may be replaced.

    Args:
        paths: files and folders, as they were named; what these are now counts.
    """
    folders = (path if os.path.isdir(path) else path.parent for path in paths)
    return tuple(map(os.path.realpath, folders))


def _require_inside(target: str, trees: Sequence[str]) -> None:
    if trees and not any(os.path.commonpath((tree, target)) == tree for tree in trees):
        raise WriteError(f"it has become {target}, outside of the given paths")


def remove_leftovers(path: Path) -> None:
    """Removes what a process that was killed while it replaced a file has left beside it.

    Args:
        path: the file; nobody else may be replacing it now.
    """
    with contextlib.suppress(OSError):
        for entry in os.scandir(path.parent):
            if entry.name.startswith(_stem(path)) and entry.name.endswith(_SUFFIX):
                os.unlink(entry.path)


def _remove_orphans(target: Path) -> None:
    """Removes what replaced this file when its process was killed; another may be at work now."""
    stem = _stem(target)
    with contextlib.suppress(OSError):
        for entry in os.scandir(target.parent):
            if entry.name.startswith(stem) and entry.name.endswith(_SUFFIX):
                host, _, process = entry.name[len(stem) :].split(".")[0].rpartition("-")
                if host == _host() and process.isdigit() and not _runs(int(process)):
                    os.unlink(entry.path)


def _stem(path: Path) -> str:
    # A name may have 255 bytes, and a character takes up to four of them.
    return f".{path.name[:24]}."


def _host() -> str:
    name = os.uname().nodename if hasattr(os, "uname") else "here"
    return re.sub(r"[^A-Za-z0-9-]", "_", name)[:40]


def _runs(process: int) -> bool:
    if os.name != "posix":  # elsewhere the question would be an order
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


def _seen(status: os.stat_result) -> tuple[int, ...]:
    """What is another when a file was replaced, written or given other permissions."""
    times = (status.st_mtime_ns, status.st_ctime_ns) if os.name == "posix" else ()
    return status.st_dev, status.st_ino, status.st_size, *times


@contextlib.contextmanager
def _new_file(target: Path, after: bytes, status: os.stat_result) -> Iterator[Path]:
    """A file beside another one that is on disk; what is not moved away goes."""
    name = f"{_stem(target)}{_host()}-{os.getpid()}.{os.urandom(8).hex()}{_SUFFIX}"
    # Known before it is made: an interrupt may come at any moment.
    path = target.parent / name
    try:
        with open(os.open(path, _NEW_FILE, 0o600), "wb") as file:
            file.write(after)
            file.flush()
            if hasattr(os, "fchown"):
                with contextlib.suppress(OSError):
                    os.fchown(file.fileno(), status.st_uid, status.st_gid)
            os.chmod(path, status.st_mode & 0o7777)
            os.fsync(file.fileno())
        yield path
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(path)
        raise
