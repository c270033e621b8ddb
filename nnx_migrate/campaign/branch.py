"""Puts the result of a campaign on a branch of its own; the tree and the index stay as they are."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path


class NoBranch(Exception):
    """Nothing can be put on a branch; the text says why, and what to do."""


def require_branch(root: Path, name: str) -> None:
    """Sees before anything runs that a branch can be made.

    Args:
        root: a folder of the repository.
        name: of the branch.

    Raises:
        NoBranch: there is no repository, or there is the branch, or files are changed.
    """
    _git(root, "rev-parse", "--verify", "HEAD")
    _git(root, "check-ref-format", "--branch", name)
    known = subprocess.run(
        ["git", "-C", root, "rev-parse", "--verify", "--quiet", f"refs/heads/{name}"],
        capture_output=True,
        check=False,
    )
    if known.returncode == 0:
        raise NoBranch(f"the branch {name} exists; name another one, or delete it")
    if _git(root, "status", "--porcelain", "--untracked-files=no"):
        raise NoBranch("some files have uncommitted changes; commit or stash them first")


def put_on_branch(root: Path, name: str, files: Mapping[Path, bytes], message: str) -> list[Path]:
    """Commits files on top of the last commit, on a new branch.

    Args:
        root: a folder of the repository.
        name: of the branch.
        files: their new bytes.
        message: of the commit.

    Returns:
        The files that git does not know, which are in no commit.

    Raises:
        NoBranch: git refuses.
    """
    top = Path(_git(root, "rev-parse", "--show-toplevel"))
    parent = _git(root, "rev-parse", "HEAD")
    unknown: list[Path] = []
    with tempfile.TemporaryDirectory(prefix="nnx-migrate-") as folder:
        index = {"GIT_INDEX_FILE": str(Path(folder, "index"))}
        _git(top, "read-tree", parent, variables=index)
        for path, data in files.items():
            inside = path.resolve().relative_to(top.resolve()).as_posix()
            entry = _git(top, "ls-files", "--stage", "--", inside, variables=index)
            if not entry:
                unknown.append(path)
                continue
            blob = _git(top, "hash-object", "-w", "--stdin", f"--path={inside}", data=data)
            place = f"{entry.split()[0]},{blob},{inside}"
            _git(top, "update-index", "--cacheinfo", place, variables=index)
        tree = _git(top, "write-tree", variables=index)
    commit = _git(top, "commit-tree", tree, "-p", parent, "-F", "-", data=message.encode())
    # Only where it does not exist: all or nothing.
    _git(top, "update-ref", f"refs/heads/{name}", commit, "")
    return unknown


def _git(root: Path, *words: str, data: bytes = b"", variables: Mapping[str, str] = {}) -> str:
    try:
        done = subprocess.run(
            ["git", "-C", root, *words],
            input=data,
            env={**os.environ, **variables},
            capture_output=True,
            check=False,
        )
    except OSError as error:
        raise NoBranch(f"git cannot be run: {error.strerror or error}") from None
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        raise NoBranch(f"git {words[0]}: {said[-1] if said else 'failed'}")
    return done.stdout.decode(errors="surrogateescape").strip()
