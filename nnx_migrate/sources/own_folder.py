"""Folders that this tool writes into, where a repository may have put links beforehand.

Git can commit a symbolic link of any name. Results, patches and logs are therefore never written
through a link that lies below the current folder: each component is opened by the handle of the
one above it, and a link in the way is refused by its name. Above the current folder a link is the
user's own business.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import shutil
import stat
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)
_FOLDER |= getattr(os, "O_CLOEXEC", 0)
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
_NEW |= getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
#: Elsewhere (Windows) links are looked for by name, just before each step.
_BY_HANDLE = os.open in os.supports_dir_fd and os.unlink in os.supports_dir_fd
_TEMPORARY = ".nnx-migrate"
_UNFINISHED = re.compile(r"\..+\.[0-9a-f]{16}" + re.escape(_TEMPORARY))


class LinkInTheWay(OSError):
    """A symbolic link lies where this tool would write.

    Args:
        link: the path of the link.
    """

    def __init__(self, link: Path) -> None:
        super().__init__(errno.ELOOP, f"{link} is a symbolic link; remove it", os.fspath(link))
        self.link = link


class OwnFolder:
    """A folder that is made if need be, opened without following links, and written by its handle.

    Args:
        path: the folder.
        trees: folders below which no link is followed; the current one always counts.
        private: only the user may look into it; one of another user is refused.
        base: below this folder no link is followed, and no other one counts; None for the above.

    Raises:
        LinkInTheWay: it, or a folder above it in one of the trees, is a link.
        OSError: it cannot be made or opened.
    """

    def __init__(
        self,
        path: Path,
        trees: Iterable[Path] = (),
        *,
        private: bool = False,
        base: Path | None = None,
    ) -> None:
        self.path = Path(os.path.abspath(path))
        self._private = private
        base, parts = _checked_parts(self.path, [base] if base else [Path.cwd(), *trees])
        self._descriptor = -1
        if not _BY_HANDLE:
            self._made_by_name(base, parts)
            return
        os.makedirs(base, exist_ok=True)
        self._descriptor = os.open(base, _FOLDER & ~getattr(os, "O_NOFOLLOW", 0))
        try:
            for part in parts:
                base /= part
                self._step_into(base)
            self._require_own()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the folder."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def put(self, name: str, data: bytes) -> Path:
        """Write a file whole, or leave the one that is there; a link of that name is refused.

        Args:
            name: of a file in the folder.
            data: what it is to hold.

        Returns:
            The file.

        Raises:
            LinkInTheWay: it is a link.
            OSError: it cannot be written.
        """
        self.require_file(name)
        new = f".{name[:64]}.{os.urandom(8).hex()}{_TEMPORARY}"
        try:
            mode = 0o600 if self._private else 0o666
            with open(os.open(self._name(new), _NEW, mode, dir_fd=self._at), "wb") as file:
                file.write(data)
            os.replace(self._name(new), self._name(name), src_dir_fd=self._at, dst_dir_fd=self._at)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(self._name(new), dir_fd=self._at)
            raise
        return self.path / name

    def require_file(self, name: str) -> Path:
        """Return the path of a file that is there, or is not; anything else is refused.

        Args:
            name: of a file in the folder.

        Raises:
            LinkInTheWay: it is a link.
            OSError: it is not a regular file, or cannot be looked at.
        """
        try:
            status = os.stat(self._name(name), dir_fd=self._at, follow_symlinks=False)
        except FileNotFoundError:
            return self.path / name
        if stat.S_ISLNK(status.st_mode):
            raise LinkInTheWay(self.path / name)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "it is not a regular file", os.fspath(self.path / name))
        return self.path / name

    def names(self) -> list[str]:
        """What lies in it, in order."""
        return sorted(os.listdir(self._descriptor if _BY_HANDLE else self.path))

    def require_no_links(self) -> None:
        """Make sure that what lies in it is no link, so that it can be used by its path.

        Raises:
            LinkInTheWay: something is.
        """
        for name in self.names():
            status = os.stat(self._name(name), dir_fd=self._at, follow_symlinks=False)
            if stat.S_ISLNK(status.st_mode):
                raise LinkInTheWay(self.path / name)

    def remove(self, name: str) -> None:
        """Take a file out of it; of a link the link."""
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self._name(name), dir_fd=self._at)

    def remove_unfinished(self) -> None:
        """Take out what a process that was killed while it put a file here has left."""
        for name in self.names():
            if _UNFINISHED.fullmatch(name):
                self.remove(name)

    def remove_tree(self, name: str) -> None:
        """Take a folder out of it with all that it holds; a link is refused.

        Raises:
            LinkInTheWay: it is a link.
            OSError: it cannot be removed.
        """
        with contextlib.suppress(FileNotFoundError):
            status = os.stat(self._name(name), dir_fd=self._at, follow_symlinks=False)
            if stat.S_ISLNK(status.st_mode):
                raise LinkInTheWay(self.path / name)
            shutil.rmtree(self._name(name), dir_fd=self._at)

    def move_in(self, source: OwnFolder, name: str) -> None:
        """Take over a folder or file of another folder, in place of nothing."""
        os.replace(source._name(name), self._name(name), src_dir_fd=source._at, dst_dir_fd=self._at)

    @property
    def _at(self) -> int | None:
        return self._descriptor if _BY_HANDLE else None

    def _name(self, name: str) -> str:
        if os.sep in name or name in {"", os.curdir, os.pardir}:
            raise ValueError(name)
        return name if _BY_HANDLE else os.path.join(self.path, name)

    def _step_into(self, path: Path) -> None:
        with contextlib.suppress(FileExistsError):
            os.mkdir(path.name, 0o700 if self._private else 0o777, dir_fd=self._descriptor)
        try:
            below = os.open(path.name, _FOLDER, dir_fd=self._descriptor)
        except OSError as error:
            if _is_link(path.name, self._descriptor):
                raise LinkInTheWay(path) from None
            raise OSError(error.errno, error.strerror, os.fspath(path)) from None
        os.close(self._descriptor)
        self._descriptor = below

    def _require_own(self) -> None:
        if not self._private:
            return
        status = os.fstat(self._descriptor)
        if status.st_uid != os.geteuid():
            raise OSError(errno.EPERM, "it belongs to another user", os.fspath(self.path))
        if status.st_mode & 0o077:
            os.fchmod(self._descriptor, 0o700)

    def _made_by_name(self, base: Path, parts: Sequence[str]) -> None:
        for part in parts:
            base /= part
            if base.is_symlink():
                raise LinkInTheWay(base)
        os.makedirs(self.path, exist_ok=True)


def put_file(path: Path, data: bytes, trees: Iterable[Path] = ()) -> None:
    """Write a file that the user named, not through a link that a repository brings.

    Args:
        path: the file; a device or pipe outside of the trees is written to as it is.
        data: what it is to hold.
        trees: folders below which no link is followed; the current one always counts.

    Raises:
        LinkInTheWay: it, or a folder above it in one of the trees, is a link.
        OSError: it cannot be written.
    """
    whole = Path(os.path.abspath(path))
    _, parts = _checked_parts(whole, [Path.cwd(), *trees])
    if not parts:
        path.write_bytes(data)
        return
    if not whole.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), os.fspath(path))
    with OwnFolder(whole.parent, trees) as folder:
        folder.put(whole.name, data)


def _checked_parts(path: Path, trees: Iterable[Path]) -> tuple[Path, tuple[str, ...]]:
    """Cut a path into what the user stands for, and the names below it that are looked at.

    Outside of all trees the whole path is the user's own.
    """
    bases = [Path(os.path.abspath(tree)) for tree in trees]
    above = [base for base in bases if base != path and path.is_relative_to(base)]
    if not above:
        return path, ()
    base = min(above, key=lambda each: len(each.parts))
    return base, path.relative_to(base).parts


def _is_link(name: str, descriptor: int) -> bool:
    with contextlib.suppress(OSError):
        return stat.S_ISLNK(os.stat(name, dir_fd=descriptor, follow_symlinks=False).st_mode)
    return False
