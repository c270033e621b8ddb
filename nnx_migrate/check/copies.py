"""Private copies of the user's trees: checked code runs in them, so what it writes lands there.

A copy has what git knows of a folder: tracked files, others, and single files that it ignores
(a version that is written by a build). Folders that it ignores are left out, and told. Without git
a copy has all but environments and caches.
"""

from __future__ import annotations

import dataclasses
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from nnx_migrate.check.jobs import Column, Side

_NEVER = frozenset({".git", ".hg", ".nnx-migrate", "__pycache__", "node_modules"})
_CACHES = frozenset({".mypy_cache", ".pytest_cache", ".ruff_cache", ".tox", ".nox", ".cache"})
# What is made from the sources, and not worth a word.
_MADE = (".egg-info", ".pyc", "build", "dist", "htmlcov", "site")
_MOST_BYTES = 2**30
_MOST_BYTES_OF_A_FILE = 64 * 2**20
_MOST_FILES = 50_000
_MOST_TOLD = 5


@dataclasses.dataclass(frozen=True, slots=True)
class Copied:
    """A private copy.

    Args:
        side: as it was, in the copy.
        left_out: what the copy does not have, with the reason.
    """

    side: Side
    left_out: tuple[str, ...]


def private_copy(
    side: Side, folder: Path, also: Sequence[str] = (), beside: Side | None = None
) -> Copied:
    """Copies the tree of a side; of a single program, the folder that it lies in.

    Args:
        side: it stays as it is.
        folder: takes the copy.
        also: paths in the tree that are taken along whatever git says, and however large.
        beside: the other side: has what of `also` this one has not.
    """
    # A program may ask for the name of the folder that it lies in.
    target = folder / (side.top.name or "tree")
    left_out = copy_tree(side.top, target, also)
    if side.is_program:
        shutil.copy2(side.root, target / side.root.name)
    for name in also:
        if beside is not None and not os.path.lexists(target / name):
            _take(beside.top / name, target / name)
    places = {side.top, *(beside.places or (beside.top,) if beside is not None else ())}
    places.update(side.places)
    return Copied(dataclasses.replace(moved(side, target), places=tuple(sorted(places))), left_out)


def moved(side: Side, target: Path) -> Side:
    """A side whose tree lies elsewhere.

    Args:
        side: the side.
        target: the folder that is its tree now, or that its program lies in.
    """
    roots = tuple(target / each.relative_to(side.top) for each in side.import_roots)
    root = target / side.root.name if side.is_program else target
    return dataclasses.replace(side, root=root, import_roots=roots)


def for_process(column: Column, folder: Path) -> Column:
    """A column whose process makes a copy of its own when it starts.

    Args:
        column: its side is a private copy that nothing runs in.
        folder: takes the copy.
    """
    side = column.side
    own = moved(side, folder / column.name / side.top.name)
    return Column(dataclasses.replace(own, copy_of=side.top), column.mode)


def enter_copy(side: Side) -> None:
    """Makes the copy of this process, and leads its imports and its working folder there.

    Args:
        side: of the column that the process runs.
    """
    if side.copy_of is not None:
        # The one that a process left, which was stopped, is not as it was.
        shutil.rmtree(side.top, ignore_errors=True)
        shutil.copytree(side.copy_of, side.top, symlinks=True, dirs_exist_ok=True)
        os.chdir(side.top)
    sys.path[:] = moved_entries(side, sys.path)
    for finder in sys.meta_path:
        # What an editable install leaves where its packages are not on one path.
        mapping = getattr(sys.modules.get(getattr(finder, "__module__", "")), "MAPPING", None)
        if isinstance(mapping, dict):
            mapping.update(zip(mapping, moved_entries(side, mapping.values()), strict=True))


def moved_entries(side: Side, entries: Iterable[str]) -> list[str]:
    """Paths in the user's tree (PYTHONPATH, an editable install) as paths in its copy.

    Args:
        side: the copy.
        entries: of `sys.path`, or like them.
    """
    return [_moved_entry(side, entry) for entry in entries]


def _moved_entry(side: Side, entry: str) -> str:
    path = Path(entry)
    for place in sorted(side.places, key=lambda each: -len(each.parts)):
        if path.is_absolute() and path.is_relative_to(place):
            inside = side.top / path.relative_to(place)
            # An environment that lies in the tree stays where it is.
            return str(inside) if inside.exists() else entry
    return entry


def copy_tree(source: Path, target: Path, also: Sequence[str] = ()) -> tuple[str, ...]:
    """Copies what a check needs of a folder.

    Args:
        source: the folder.
        target: made here.
        also: paths in it that are taken along in any case.

    Returns:
        What was left out, in words.
    """
    target.mkdir(parents=True, exist_ok=True)
    left_out: list[str] = []
    names, ignored = _of_git(source) or (_walked(source, target, left_out), [])
    left_out += [f"{name} (git ignores it)" for name in ignored if not _is_among(name, also)]
    copied = size = 0
    for name in names:
        file = source / name
        if not os.path.lexists(file) or _is_among(name, also):
            continue
        length = 0 if file.is_symlink() or file.is_dir() else file.stat().st_size
        copied, size = copied + 1, size + length
        if length > _MOST_BYTES_OF_A_FILE or size > _MOST_BYTES or copied > _MOST_FILES:
            left_out.append(f"{name} ({length / 2**20:,.0f} MB)")
            size -= length
            continue
        _take(file, target / name)
    for name in also:
        _take(source / name, target / name)
    return tuple(left_out)


def told(left_out: Sequence[str]) -> str:
    """What copies do not have, in a line.

    Args:
        left_out: of `Copied`.
    """
    more = len(left_out) - _MOST_TOLD
    names = ", ".join(left_out[:_MOST_TOLD]) + (f" and {more} more" if more > 0 else "")
    return f"not copied for the cases: {names}; to copy a path, use --data PATH"


def _take(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_symlink():
        target.symlink_to(os.readlink(source))
    elif source.is_dir():
        # A repository in the repository, or what was asked for.
        ignored = shutil.ignore_patterns(*_NEVER)
        shutil.copytree(source, target, symlinks=True, ignore=ignored, dirs_exist_ok=True)
    elif source.is_file():
        shutil.copy2(source, target)


def _is_among(name: str, also: Sequence[str]) -> bool:
    path = Path(name)
    return any(path.is_relative_to(each) for each in also)


def _of_git(root: Path) -> tuple[list[str], list[str]] | None:
    """What git knows of a folder, and what it ignores; None where there is no git."""
    known = _git(root, "--cached", "--others", "--exclude-standard")
    if not known:
        # No repository, or a folder that it ignores as a whole.
        return None
    ignored = _git(root, "--others", "--ignored", "--exclude-standard", "--directory")
    folders = [name for name in ignored if name.endswith("/") and _is_worth_a_word(root, name)]
    files = [name for name in ignored if not name.endswith(("/", ".pyc"))]
    own = [name for name in known + files if _NEVER.isdisjoint(Path(name).parts)]
    return list(dict.fromkeys(own)), folders


def _git(root: Path, *options: str) -> list[str]:
    try:
        done = subprocess.run(
            ["git", "-C", str(root), "ls-files", "-z", *options], capture_output=True, check=False
        )
    except OSError:
        return []
    return [os.fsdecode(name) for name in done.stdout.split(b"\0") if name]


def _is_worth_a_word(root: Path, name: str) -> bool:
    path = Path(name)
    hidden = any(part.startswith(".") or part in _NEVER for part in path.parts)
    return not hidden and not path.name.endswith(_MADE) and not _is_environment(root / path)


def _is_environment(folder: Path) -> bool:
    return (folder / "pyvenv.cfg").is_file()


def _walked(root: Path, target: Path, left_out: list[str]) -> Iterator[str]:
    seen = 0
    for folder, folders, files in os.walk(root):
        here = Path(folder)
        linked = [name for name in folders if (here / name).is_symlink()]
        folders[:] = sorted(
            name
            for name in folders
            if name not in _NEVER | _CACHES
            and name not in linked
            and not _is_environment(here / name)
            and not target.is_relative_to(here / name)
        )
        for name in sorted([*files, *linked]):
            seen += 1
            if seen > _MOST_FILES:
                left_out.append(f"everything after the first {_MOST_FILES:,} files")
                return
            yield (here / name).relative_to(root).as_posix()
