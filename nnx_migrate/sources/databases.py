"""What goes wrong with a database, in words that help."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3

#: SQLite says of a disk with less than this that a file cannot be opened or written.
_LITTLE = 64 * 1024


def told(file: Path, error: sqlite3.Error) -> str:
    """Why a database could not be used.

    Args:
        file: of the database.
        error: what SQLite says.
    """
    import sqlite3

    if not isinstance(error, sqlite3.OperationalError) or not _is_full(file.parent):
        return f"{file}: {error}"
    return f"{file}: {error} (no space is left there)"


def _is_full(folder: Path) -> bool:
    try:
        there = os.statvfs(folder)
    except (AttributeError, OSError):  # no such call on Windows
        return False
    # Some file systems have no number of files.
    return there.f_bavail * there.f_frsize < _LITTLE or (there.f_files > 0 and not there.f_favail)
