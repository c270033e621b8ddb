"""Putting new bytes in place of a file so that nobody ever sees half of them."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from pathlib import Path

from nnx_migrate.sources.scanning import read_file

#: Puts new bytes in the place of a file's old ones, or raises a WriteError: path, old, new.
Writer = Callable[[Path, bytes, bytes], None]
_SUFFIX = ".nnx-migrate"


class WriteError(OSError):
    """A file was left exactly as it was.

    Args:
        reason: why, in words that fit behind "could not be written: ".
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def write_atomically(path: Path, before: bytes, after: bytes) -> None:
    """Replace the bytes of a file: new file in the same folder, fsync, rename.

    Mode, and owner where the system allows it, are kept. A symbolic link stays one; its target is
    replaced. A process killed at any moment leaves either the old or the new bytes.

    Args:
        path: the file.
        before: the bytes that the new ones were made from.
        after: the new bytes.

    Raises:
        WriteError: the file changed since it was read, is read-only, or could not be replaced.
    """
    target = Path(os.path.realpath(path))
    try:
        status = os.stat(target)
        current = read_file(target)
    except OSError as error:
        raise WriteError(error.strerror or str(error)) from None
    if current != before:
        raise WriteError("changed while migrating")
    # Replacing needs no permission on the file itself, but a file made read-only is meant to stay.
    if not status.st_mode & 0o222 or not os.access(target, os.W_OK):
        raise WriteError("it is read-only")
    try:
        _replace(target, after, status)
    except OSError as error:
        raise WriteError(error.strerror or str(error)) from None


def remove_leftovers(path: Path) -> None:
    """Removes what a process that was killed while it replaced a file has left beside it.

    Args:
        path: the file; nobody else may be replacing it now.
    """
    with contextlib.suppress(OSError):
        for entry in os.scandir(path.parent):
            if entry.name.startswith(f".{path.name[:80]}.") and entry.name.endswith(_SUFFIX):
                os.unlink(entry.path)


def _replace(target: Path, after: bytes, status: os.stat_result) -> None:
    import tempfile

    descriptor, name = tempfile.mkstemp(
        prefix=f".{target.name[:80]}.", suffix=_SUFFIX, dir=target.parent
    )
    try:
        with open(descriptor, "wb") as file:
            file.write(after)
            file.flush()
            if hasattr(os, "fchown"):
                with contextlib.suppress(OSError):
                    os.fchown(file.fileno(), status.st_uid, status.st_gid)
            os.chmod(name, status.st_mode & 0o7777)
            os.fsync(file.fileno())
        os.replace(name, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise
