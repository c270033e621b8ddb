"""Which paths a walk leaves out: .gitignore files, configured patterns, and well-known folders."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterable
from typing import TYPE_CHECKING

from nnx_migrate.sources.patterns import ignore_patterns
from nnx_migrate.sources.walk.scanning import read_settings

if TYPE_CHECKING:
    import pathspec

# Folders that hold no source of the project, whatever a .gitignore says.
_ALIEN_FOLDERS = frozenset(
    {
        "__pycache__",
        "__pypackages__",
        "node_modules",
        "site-packages",
        "dist-packages",
        ".eggs",
        ".git",
        ".hg",
        ".hypothesis",
        ".ipynb_checkpoints",
        ".mypy_cache",
        ".nox",
        ".pytest_cache",
        ".ruff_cache",
        ".svn",
        ".tox",
        ".venv",
    }
)


def is_alien(folder: str) -> bool:
    """Return whether a folder of this name never holds source of the project."""
    return folder in _ALIEN_FOLDERS


@dataclasses.dataclass(frozen=True, slots=True)
class PatternFile:
    """Patterns and the folder that they are relative to.

    Args:
        folder: absolute path without a trailing slash.
        patterns: in .gitignore syntax.
    """

    folder: str
    patterns: pathspec.GitIgnoreSpec

    def verdict(self, path: str) -> bool | None:
        """Return True for left out, False for taken back in by "!", None for no opinion."""
        relative = path[len(self.folder) :].lstrip("/")
        return self.patterns.check_file(relative).include if relative else None


@dataclasses.dataclass(frozen=True, slots=True)
class Ignores:
    """The patterns that count in one folder.

    Args:
        git: contents of .gitignore files, outermost first.
        excluded: configured patterns, which no "!" of a .gitignore takes back.
    """

    git: tuple[PatternFile, ...] = ()
    excluded: PatternFile | None = None

    def match(self, path: str, *, folder: bool = False) -> bool:
        """Return whether the file (or the folder) at the absolute `path` is left out."""
        if folder:
            path += "/"
        if self.excluded is not None and self.excluded.verdict(path):
            return True
        for file in reversed(self.git):
            verdict = file.verdict(path)
            if verdict is not None:
                return verdict
        return False

    def entering(self, folder: str, excluded: PatternFile | None) -> Ignores:
        """Return what counts inside `folder`, which holds a .gitignore or another configuration."""
        own = read_patterns(folder, ".gitignore")
        git = self.git if own is None else (*self.git, own)
        return Ignores(git, excluded)


def above(folder: str, excluded: PatternFile | None) -> Ignores:
    """Return what the repository around `folder` says about it, up to the repository's root.

    Patterns that leave out `folder` itself are dropped: a folder that somebody names is wanted.

    Args:
        folder: absolute path of a folder that was named on the command line.
        excluded: the configured patterns for it.
    """
    climbed = list(_parents(folder))
    tops = [n for n, parent in enumerate(climbed) if os.path.exists(f"{parent}/.git")]
    files: list[PatternFile] = []
    if os.path.exists(f"{folder}/.git"):
        files.extend(_present([read_patterns(folder, ".git/info/exclude")]))
    elif tops:
        inside = climbed[: tops[0] + 1]
        files.extend(_present([read_patterns(inside[-1], ".git/info/exclude")]))
        files.extend(_present(read_patterns(parent, ".gitignore") for parent in reversed(inside)))
    wanted = tuple(file for file in files if not file.verdict(f"{folder}/"))
    if excluded is not None and excluded.verdict(f"{folder}/"):
        excluded = None
    return Ignores(wanted, excluded)


def read_patterns(folder: str, name: str) -> PatternFile | None:
    """Return the patterns in the file `name` of `folder`; None when it cannot be read."""
    try:
        data = read_settings(f"{folder}/{name}")
    except OSError:
        return None
    text = data.decode("utf-8", "surrogateescape")
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return PatternFile(folder, _tolerant(lines))


def _tolerant(lines: list[str]) -> pathspec.GitIgnoreSpec:
    try:
        return ignore_patterns(lines)
    except ValueError:
        # Git skips a pattern that it cannot read, and takes the others.
        return ignore_patterns([line for line in lines if _is_pattern(line)])


def _is_pattern(line: str) -> bool:
    try:
        ignore_patterns([line])
    except ValueError:
        return False
    return True


def _parents(folder: str) -> Iterable[str]:
    while (parent := os.path.dirname(folder)) != folder:
        yield parent.rstrip("/")
        folder = parent


def _present(files: Iterable[PatternFile | None]) -> list[PatternFile]:
    return [file for file in files if file is not None]
