"""Whether files and folders are as they were, by what the system says of them.

To list them and to ask for their times takes a hundredth of what it takes to read them all and to
follow their imports.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from nnx_migrate.sources.documents.kinds import NOTEBOOKS, PAGES
from nnx_migrate.sources.settings.files import OWN_FILE, PYPROJECT

#: What decides which files of a folder count, and by which names they are imported.
_DECIDING = (
    *("__init__.py", ".git", ".gitignore", ".hg", "pyvenv.cfg", "setup.cfg", "setup.py"),
    *(OWN_FILE, PYPROJECT),
)
_READ = (".py", *NOTEBOOKS, *PAGES, *_DECIDING)
#: A file that was written so recently may be written again at what the system calls the same time.
_RECENT = 2_000_000_000

#: Of a file what changes when it is written or replaced; None of what is not there.
_Times = tuple[int, int, int, int] | None


@dataclasses.dataclass(frozen=True, slots=True)
class DiskState:
    """Some folders, the files in them, and what decides in the folders above.

    Args:
        folders: their names.
        entries: what is in each, and of what is read when it was changed.
        above: the same of deciding files further up.
    """

    folders: tuple[str, ...]
    entries: tuple[tuple[tuple[str, _Times], ...], ...]
    above: tuple[_Times, ...]

    @classmethod
    def of(cls, folders: Iterable[str]) -> DiskState:
        """As they are now.

        Args:
            folders: real paths.
        """
        names = tuple(sorted(folders))
        entries = tuple(tuple(sorted(_entries(folder))) for folder in names)
        return cls(names, entries, tuple(_times(path) for path in _deciding_above(names)))

    @property
    def names(self) -> frozenset[str]:
        """The names of all that is in the folders."""
        return frozenset(name for folder in self.entries for name, _ in folder)

    def is_still(self) -> bool:
        """Whether all is as it was."""
        return DiskState.of(self.folders) == self

    def was_settled(self, moment: int) -> bool:
        """Whether all of it was written well before a moment, so that a later write shows.

        Args:
            moment: in nanoseconds.
        """
        files = [times for folder in self.entries for _, times in folder]
        return all(times is None or max(times[:2]) < moment - _RECENT for times in files)


def _entries(folder: str) -> Iterator[tuple[str, _Times]]:
    try:
        with os.scandir(folder) as found:
            for entry in found:
                read = entry.name.endswith(_READ) and not entry.is_dir(follow_symlinks=False)
                yield entry.name, _times(entry.path) if read else None
    except OSError:
        yield "", None  # it is gone


def _deciding_above(folders: Iterable[str]) -> Iterator[str]:
    above = {str(parent) for folder in folders for parent in Path(folder).parents}
    for folder in sorted(above.difference(folders)):
        yield from (os.path.join(folder, name) for name in _DECIDING)


def _times(path: str) -> _Times:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino
