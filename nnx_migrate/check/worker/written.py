"""The files that a call writes in the copy of its tree, as a part of what came of it."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

from nnx_migrate.check.compare.files import ROOT
from nnx_migrate.check.compare.forms import Form, Plain, View
from nnx_migrate.check.jobs import Side

State = Mapping[str, tuple[int, ...]]
_MOST_TEXT = 2**20
_IGNORED = frozenset({"__pycache__"})


@dataclasses.dataclass(frozen=True, slots=True)
class OwnTree:
    """The copy that this process has for itself.

    Args:
        top: its folder.
        base: what it was copied from.
    """

    top: Path
    base: Path

    def state(self) -> State:
        """What tells each file and folder of it from what it becomes, by path."""
        return dict(_scanned(self.top, ""))

    def written(self, before: State) -> Form:
        """The files that are others now.

        Args:
            before: of `state`.
        """
        now = self.state()
        return {
            f"{ROOT}/{name}": _leaf(self.top / name) if name in now else Plain("file", "is gone")
            for name in sorted(before.keys() | now.keys())
            if before.get(name) != now.get(name)
        }

    def put_back(self, before: State) -> None:
        """Makes it what it was, as far as it is not what modules wrote when they were imported.

        Args:
            before: of `state`.
        """
        now = self.state()
        for name in sorted(now.keys() - before.keys(), reverse=True):
            _remove(self.top / name)
        for name in sorted(before):
            if now.get(name) == before[name] or not os.path.lexists(self.base / name):
                continue
            _remove(self.top / name)
            _copy(self.base / name, self.top / name)


def own_tree(side: Side) -> OwnTree | None:
    """The copy of this process; None where it has none.

    Args:
        side: of its column.
    """
    return OwnTree(side.top, side.copy_of) if side.copy_of is not None else None


@contextlib.contextmanager
def put_back_after(tree: OwnTree | None) -> Iterator[None]:
    """Undoes what is written within.

    Args:
        tree: the copy of this process; None for none.
    """
    before = tree.state() if tree is not None else {}
    try:
        yield
    finally:
        if tree is not None:
            tree.put_back(before)


def with_files(view: View | None, files: Form) -> View | None:
    """A view of a call, and of what it wrote.

    Args:
        view: of the call; None where there is none.
        files: of `OwnTree.written`.
    """
    if not files:
        return view
    return View({**(view.form if view else {}), **files}, view.shared if view else {})


def _scanned(top: Path, prefix: str) -> Iterator[tuple[str, tuple[int, ...]]]:
    with os.scandir(top) as entries:
        for entry in entries:
            if entry.name in _IGNORED:
                continue
            found = entry.stat(follow_symlinks=False)
            if entry.is_dir(follow_symlinks=False):
                # Its own time changes with what is in it, which is told for itself.
                yield prefix + entry.name, ()
                yield from _scanned(top / entry.name, f"{prefix}{entry.name}/")
            else:
                yield prefix + entry.name, (found.st_mtime_ns, found.st_size, found.st_ino)


def _leaf(path: Path) -> Plain:
    if path.is_symlink():
        return Plain("file", f"a link to {os.readlink(path)}")
    if path.is_dir():
        return Plain("folder", "")
    if not path.is_file():
        return Plain("file", "that is not a regular file")
    with path.open("rb") as opened:
        if path.stat().st_size <= _MOST_TEXT:
            content = opened.read()
            with contextlib.suppress(UnicodeDecodeError):
                text = content.decode()
                if "\0" not in text:
                    return Plain("text file", text)
            return Plain("file", f"of {len(content)} bytes {hashlib.sha256(content).hexdigest()}")
        digest = hashlib.file_digest(opened, "sha256").hexdigest()
    return Plain("file", f"of {path.stat().st_size} bytes {digest}")


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def _copy(source: Path, target: Path) -> None:
    if source.is_dir() and not source.is_symlink():
        target.mkdir(parents=True, exist_ok=True)
    else:
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, target, follow_symlinks=False)
