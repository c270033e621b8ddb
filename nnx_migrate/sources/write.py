"""Putting new bytes in place of a file so that nobody ever sees half of them."""

from __future__ import annotations

import contextlib
import dataclasses
import errno
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from nnx_migrate.sources.walk.scanning import TooLarge, read_file

_SUFFIX = ".nnx-migrate"
_CHANGED = "the file changed during the run"
_READ_ONLY = "it is read-only"
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL
_NEW_FILE |= getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)


@dataclasses.dataclass(frozen=True, slots=True)
class Replacement:
    """What a file is to be.

    Args:
        path: the file.
        before: the bytes that the new ones were made from.
        after: the new bytes.
    """

    path: Path
    before: bytes
    after: bytes


#: Replaces the bytes of a file, or raises a WriteError.
Writer = Callable[[Replacement], None]


class WriteError(OSError):
    """A file was left exactly as it was.

    Args:
        path: the file.
        reason: why, in words that fit behind "could not be written: ".
        no_room: whether that is because no space is left for it.
    """

    def __init__(self, path: Path, reason: str, *, no_room: bool = False) -> None:
        super().__init__(reason)
        self.path = path
        self.reason = reason
        self.no_room = no_room


def replace_file(file: Replacement, trees: Sequence[str] = (), *, resumed: bool = False) -> None:
    """Replace the bytes of a file: a new file in the same folder, fsync, and only then a rename.

    So all that takes room has it before anything changes. Mode and extended attributes (access
    control lists among them), and owner where the system allows it, are kept. A symbolic link
    stays one; its target is replaced. A process killed at any moment leaves either the old or the
    new bytes.

    Args:
        file: what it is to be.
        trees: real paths of the folders that it has to lie in, if any: a folder may have become a
            link to somewhere else.
        resumed: whether it counts as done with its new bytes: an earlier try has put them there.

    Raises:
        WriteError: the file changed since it was read, is read-only, or could not be replaced.
    """
    if resumed and holds(file.path, file.after):
        return
    with _staged(file, trees) as new:
        new.replace()


def holds(path: Path, data: bytes) -> bool:
    """Return whether the bytes of a file are these.

    Args:
        path: the file; one that cannot be read has none.
        data: what it may hold.
    """
    with contextlib.suppress(OSError):
        return read_file(path, len(data) + 1) == data
    return False


@dataclasses.dataclass(frozen=True, slots=True)
class _New:
    """New bytes of a file, on disk beside it.

    Args:
        path: the file, as it was named.
        target: what is replaced.
        status: of that, when the new bytes were written.
        file: takes its place.
    """

    path: Path
    target: Path
    status: os.stat_result
    file: Path

    def replace(self) -> None:
        with _explained(self.path):
            # Writing took its time: somebody may have saved the file, or moved its folder.
            moved = os.path.realpath(self.path) != str(self.target)
            if moved or _seen(os.stat(self.target)) != _seen(self.status):
                raise WriteError(self.path, _CHANGED)
            os.replace(self.file, self.target)


@contextlib.contextmanager
def _staged(file: Replacement, trees: Sequence[str]) -> Iterator[_New]:
    with contextlib.ExitStack() as stack:
        with _explained(file.path):
            target = Path(os.path.realpath(file.path))
            status = _required(file, target, trees)
            _remove_orphans(target)
            new = stack.enter_context(_new_file(target, file.after, status))
        yield _New(file.path, target, status, new)


def _required(file: Replacement, target: Path, trees: Sequence[str]) -> os.stat_result:
    """Look at what is to be replaced: it may be, and is what the new bytes were made from."""
    if trees and not any(os.path.commonpath((tree, target)) == tree for tree in trees):
        raise WriteError(file.path, f"it now links to {target}, outside of the named paths")
    status = os.stat(target)
    try:
        current = read_file(target, len(file.before) + 1)
    except TooLarge:
        raise WriteError(file.path, _CHANGED) from None
    if current != file.before:
        raise WriteError(file.path, _CHANGED)
    if _read_only(target, status):
        raise WriteError(file.path, _READ_ONLY)
    return status


def _read_only(target: Path, status: os.stat_result) -> bool:
    # Replacing needs no permission on the file itself, but a file made read-only is meant to stay.
    return not status.st_mode & 0o222 or not os.access(target, os.W_OK)


def unwritable(path: Path) -> str:
    """Why a file could not be replaced, as far as that can be seen without trying; or ""."""
    target = Path(os.path.realpath(path))
    try:
        if _read_only(target, os.stat(target)):
            return _READ_ONLY
    except OSError as error:
        return error.strerror or str(error)
    return "" if os.access(target.parent, os.W_OK) else "its folder is read-only"


@contextlib.contextmanager
def _explained(path: Path) -> Iterator[None]:
    try:
        yield
    except WriteError:
        raise
    except OSError as error:
        no_room = error.errno in (errno.ENOSPC, errno.EDQUOT)
        raise WriteError(path, error.strerror or str(error), no_room=no_room) from None


def real_trees(paths: Iterable[Path]) -> tuple[str, ...]:
    """Where files that were named, or that lie in named folders, may be replaced.

    Args:
        paths: files and folders, as they were named; what these are now counts.
    """
    folders = (path if os.path.isdir(path) else path.parent for path in paths)
    return tuple(map(os.path.realpath, folders))


def remove_leftovers(paths: Iterable[Path]) -> None:
    """Removes what a process that was killed while it replaced files has left beside them.

    Args:
        paths: the files; nobody else may be replacing them now.
    """
    stems: dict[str, set[str]] = {}
    for target in map(Path, map(os.path.realpath, paths)):
        stems.setdefault(str(target.parent), set()).add(_stem(target))
    for folder, own in stems.items():
        with contextlib.suppress(OSError):
            for entry in os.scandir(folder):
                if entry.name.endswith(_SUFFIX) and entry.name.startswith(tuple(own)):
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


def _keep_attributes(target: Path, new: int) -> None:
    """Give a new file the extended attributes of the one that it replaces."""
    if not hasattr(os, "listxattr"):
        return
    try:
        wanted = {name: os.getxattr(target, name) for name in os.listxattr(target)}
    except OSError as error:
        if error.errno == errno.ENOTSUP:
            return
        raise
    # What the system gives every file here (a label of SELinux) is there already.
    has = {name: os.getxattr(new, name) for name in os.listxattr(new)} if wanted else {}
    for name, value in wanted.items():
        if has.get(name) == value:
            continue
        try:
            os.setxattr(new, name, value)
        except OSError as error:
            reason = f"its attribute {name} would be lost: {error.strerror}"
            raise WriteError(target, reason) from None


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
            # After the mode, which would change the mask of an access control list.
            _keep_attributes(target, file.fileno())
            os.fsync(file.fileno())
        yield path
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(path)
        raise
