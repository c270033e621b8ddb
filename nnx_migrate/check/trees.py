"""The two states of the user's code: folders, single programs, or a revision of git."""

from __future__ import annotations

import contextlib
import dataclasses
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator, Sequence
from io import BytesIO
from pathlib import Path

from nnx_migrate.check.jobs import Side, SideName


class NoSuchTree(Exception):
    """A path or revision that is not there; the text says what was looked for."""


@contextlib.contextmanager
def opened_side(
    name: SideName, given: str, roots: Sequence[str], beside: str = ""
) -> Iterator[Side]:
    """Finds one side of a check.

    Args:
        name: "old" or "new".
        given: a folder, a single program, or "git:REVISION" of the repository around the working
            directory, which is unpacked for as long as the check lasts.
        roots: folders in it that imports start from; `src` and the folder itself when empty.
        beside: the other side: of a revision the same folder is taken, or the same program.

    Yields:
        The side, its paths resolved.

    Raises:
        NoSuchTree: there is no such path or revision.
    """
    if not given.startswith("git:"):
        yield side_at(name, Path(given), roots)
        return
    with tempfile.TemporaryDirectory(prefix="nnx-migrate-") as folder:
        revision = given.removeprefix("git:")
        top = _unpack(revision, Path(folder))
        other = Path.cwd() if not beside or beside.startswith("git:") else Path(beside).resolve()
        inside = other.relative_to(top) if other.is_relative_to(top) else Path()
        if not (Path(folder) / inside).exists():
            raise NoSuchTree(f"{given}: there is no {inside} in this revision")
        found = side_at(name, Path(folder) / inside, roots)
        yield dataclasses.replace(found, given=given, places=(_folder(found, top / inside),))


def side_at(name: SideName, path: Path, roots: Sequence[str]) -> Side:
    """A side that lies on disk.

    Args:
        name: "old" or "new".
        path: a folder or a single program.
        roots: as for `opened_side`.

    Raises:
        NoSuchTree: there is no such path.
    """
    if not path.exists():
        raise NoSuchTree(
            f"{name.upper()}: there is no file or folder {path}; "
            f"a revision of git is written git:{path}"
        )
    root = path.resolve()
    if root.is_file():
        return Side(name, root, ())
    wanted = [root / each for each in roots] if roots else [root / "src", root]
    missing = [each for each in wanted if roots and not each.is_dir()]
    if missing:
        raise NoSuchTree(f"{name.upper()}: there is no import root {missing[0]}")
    return Side(name, root, tuple(each.resolve() for each in wanted if each.is_dir()))


def _folder(side: Side, place: Path) -> Path:
    """The folder of a place that a side stands for; of a program, that it lies in."""
    return place.parent if side.is_program else place


def _unpack(revision: str, folder: Path) -> Path:
    """Unpacks a revision; the folder of its repository."""
    top = subprocess.run(
        ["git", "rev-parse", "--show-toplevel"], capture_output=True, text=True, check=False
    )
    made = subprocess.run(
        ["git", "-C", top.stdout.strip() or ".", "archive", "--format=tar", revision],
        capture_output=True,
        check=False,
    )
    if top.returncode or made.returncode:
        reason = (top.stderr or made.stderr.decode(errors="replace")).strip()
        raise NoSuchTree(f"git:{revision}: {reason}")
    with tarfile.open(fileobj=BytesIO(made.stdout)) as archive:
        archive.extractall(folder, filter="data")
    return Path(top.stdout.strip()).resolve()
