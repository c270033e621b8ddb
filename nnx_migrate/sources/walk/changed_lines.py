"""Which lines of a working tree are other than in a commit, as git knows them."""

from __future__ import annotations

import difflib
import os
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

_LINE_END = re.compile(rb"\r\n|\r|\n")
#: Settings of a repository run no program here.
_GIT = ("git", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null")


class NoSuchBase(ValueError):
    """Lines cannot be compared with a commit; the text says why."""


class ChangedLines:
    """The lines that were added or edited since a commit.

    Args:
        folder: a folder of the repository.
        revision: the commit; what counts is where the current branch has left it.

    Raises:
        NoSuchBase: there is no repository, or no such commit.
    """

    def __init__(self, folder: Path, revision: str) -> None:
        self._top = Path(_text(folder, "rev-parse", "--show-toplevel"))
        wanted = f"{revision}^{{commit}}"
        commit = _text(folder, "rev-parse", "--verify", "--quiet", "--end-of-options", wanted)
        self._base = _text(folder, "merge-base", commit, "HEAD")
        differ = ("diff", "--name-only", "--no-renames", "--no-ext-diff", "--no-textconv", "-z")
        self._changed = set(_names(self._top, *differ, self._base))
        self._known: dict[str, Sequence[tuple[int, int]]] = {}
        self._new = set(_names(self._top, "ls-files", "--others", "--exclude-standard", "-z"))

    def touches(self, path: Path, data: bytes, first: int, last: int) -> bool:
        """Whether any of some lines was added or edited.

        Args:
            path: the file.
            data: its bytes now.
            first: 1-based.
            last: the last of them.
        """
        name = os.path.relpath(os.path.realpath(path), os.path.realpath(self._top))
        if name in self._new:
            return True
        if name not in self._changed:
            return False
        if name not in self._known:
            self._known[name] = self._ranges(name, data)
        return any(start <= last and first <= end for start, end in self._known[name])

    def _ranges(self, name: str, data: bytes) -> Sequence[tuple[int, int]]:
        """The changed lines of a file, 1-based, first and last; all of a new one."""
        show = [*_GIT, "-C", os.fspath(self._top), "cat-file", "blob", f"{self._base}:{name}"]
        shown = subprocess.run(show, capture_output=True, check=False)
        new = _LINE_END.split(data)
        if shown.returncode:
            return [(1, len(new))]
        old = _LINE_END.split(shown.stdout)
        matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
        return [
            # Where lines were only taken out, the one behind them is another's neighbour now.
            (start + 1, max(end, start + 1))
            for kind, _, _, start, end in matcher.get_opcodes()
            if kind != "equal"
        ]


def _text(folder: Path, *arguments: str) -> str:
    return os.fsdecode(_output(folder, *arguments)).strip()


def _names(folder: Path, *arguments: str) -> list[str]:
    return [os.fsdecode(name) for name in _output(folder, *arguments).split(b"\0") if name]


def _output(folder: Path, *arguments: str) -> bytes:
    try:
        done = subprocess.run([*_GIT, "-C", folder, *arguments], capture_output=True, check=False)
    except FileNotFoundError:
        raise NoSuchBase("git is not installed here") from None
    if done.returncode:
        said = os.fsdecode(done.stderr).strip().splitlines()
        raise NoSuchBase(said[-1] if said else "there is no such commit here")
    return done.stdout
