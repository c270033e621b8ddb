"""What runs have written: enough to put every file back, kept beside the project.

A run is one SQLite file. A file's bytes are in it, on disk, before the file itself is replaced, so
that a run that is killed at any moment can be undone as far as it came.
"""

from __future__ import annotations

import contextlib
import dataclasses
import datetime
import hashlib
import os
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from nnx_migrate.sources.databases import told
from nnx_migrate.sources.write import Replacement, holds, replace_files

if TYPE_CHECKING:
    import sqlite3

FOLDER = Path(".nnx-migrate")
#: Older runs are forgotten.
KEPT_RUNS = 20
_NAME = "%Y%m%d-%H%M%S-%f"
_TABLES = """
CREATE TABLE IF NOT EXISTS run (command TEXT, undone INTEGER DEFAULT 0);
CREATE TABLE IF NOT EXISTS files (path BLOB PRIMARY KEY, before BLOB, old TEXT, new TEXT);
"""


class NoJournal(Exception):
    """A journal cannot be written or read; the text says why."""


@dataclasses.dataclass(frozen=True, slots=True)
class Entry:
    """A file that a run replaced, or was about to.

    Args:
        path: the file.
        before: its bytes before the run.
        old: digest of these.
        new: digest of what the run put in their place.
    """

    path: Path
    before: bytes
    old: str
    new: str


@dataclasses.dataclass(frozen=True, slots=True)
class Run:
    """A run that wrote files.

    Args:
        file: its journal.
        command: as it was typed.
        undone: it was put back, as far as that was possible.
    """

    file: Path
    command: str
    undone: bool

    @property
    def name(self) -> str:
        """What the command line calls it."""
        return self.file.stem

    def entries(self) -> list[Entry]:
        """The files, in the order of their paths.

        Raises:
            NoJournal: the journal cannot be read.
        """
        with _opened(self.file) as database:
            rows = database.execute("SELECT path, before, old, new FROM files ORDER BY path")
            root = self.file.absolute().parent.parent.parent
            return [
                Entry(_at(root, path), zlib.decompress(before), old, new)
                for path, before, old, new in rows
            ]

    def mark_undone(self) -> None:
        """Notes that the run was undone."""
        with _opened(self.file) as database:
            database.execute("UPDATE run SET undone = 1")


class Journal:
    """Writes files, and keeps what they were.

    Args:
        project: the folder whose `.nnx-migrate/runs` holds the journals; it is made when the first
            file is written.
        command: as it was typed.
        name: of the run that this one may go on with.
        trees: real paths of the folders in which files may be replaced; none for any.
    """

    def __init__(
        self, project: Path, command: str, name: str = "", trees: Sequence[str] = ()
    ) -> None:
        self._trees = trees
        self._project = project.absolute()
        self._command = command
        self._file: Path | None = None
        self._given = name

    @property
    def name(self) -> str:
        """What `undo` calls the run; "" while nothing is written."""
        return self._file.stem if self._file is not None else ""

    def write(self, files: Sequence[Replacement]) -> None:
        """Replaces the bytes of files, of all or of none, as `replace_files` does.

        Raises:
            NoJournal: the old bytes cannot be kept; the files are as they were.
            WriteError: the files were left as they were.
        """
        resumed = bool(self._given)
        # Of what an earlier try has replaced the old bytes are kept already.
        new = [file for file in files if not (resumed and holds(file.path, file.after))]
        if new:
            self._keep(new)
        replace_files(files, self._trees, resumed=resumed)

    def _keep(self, files: Sequence[Replacement]) -> None:
        if self._file is None:
            name = self._given or new_name(self._project)
            self._file = _begun(self._project, self._command, name)
        with _opened(self._file) as database:
            # At once: each transaction waits for the disk several times.
            database.execute("BEGIN IMMEDIATE")
            database.executemany(
                "INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?)", map(self._row, files)
            )
            database.execute("COMMIT")

    def _row(self, file: Replacement) -> tuple[bytes, bytes, str, str]:
        # The target of a symbolic link is what is replaced.
        target = os.path.relpath(os.path.realpath(file.path), os.path.realpath(self._project))
        packed = zlib.compress(file.before)
        return os.fsencode(target), packed, digest(file.before), digest(file.after)


def runs_of(project: Path) -> list[Run]:
    """The runs that a project knows, the latest first.

    Args:
        project: the folder that they were started in.
    """
    found = []
    for file in sorted((project / FOLDER / "runs").glob("*.sqlite"), reverse=True):
        with contextlib.suppress(NoJournal), _opened(file) as database:
            row = database.execute("SELECT command, undone FROM run").fetchone()
            if row is not None:
                found.append(Run(file, row[0], bool(row[1])))
    return found


def digest(data: bytes) -> str:
    """The digest by which a journal knows bytes."""
    return hashlib.sha256(data).hexdigest()


def _at(root: Path, path: bytes) -> Path:
    return Path(os.path.normpath(root / os.fsdecode(path)))


def new_name(project: Path) -> str:
    """A name for a run that begins now, behind those that there are even if the clock was put back.

    Args:
        project: the folder that it is started in.
    """
    name = datetime.datetime.now(datetime.UTC).strftime(_NAME)
    last = max((file.stem for file in (project / FOLDER / "runs").glob("*.sqlite")), default="")
    if last < name:
        return name
    with contextlib.suppress(ValueError):
        moment = datetime.datetime.strptime(last, _NAME)
        return (moment + datetime.timedelta(microseconds=1)).strftime(_NAME)
    return name


def _begun(project: Path, command: str, name: str) -> Path:
    folder = project / FOLDER / "runs"
    file = folder / f"{name}.sqlite"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (project / FOLDER / ".gitignore").write_text("*\n", encoding="utf-8")
        others = sorted({*folder.glob("*.sqlite")} - {file}, reverse=True)
        for old in others[KEPT_RUNS - 1 :]:
            old.unlink()
    except OSError as error:
        raise NoJournal(f"{folder}: {error.strerror}") from error
    with _opened(file) as database:
        database.executescript(_TABLES)
        # A run that goes on with an earlier one keeps what that has typed.
        once = "INSERT INTO run (command) SELECT ? WHERE NOT EXISTS (SELECT 1 FROM run)"
        database.execute(once, (command.encode(errors="backslashreplace").decode(),))
    return file


@contextlib.contextmanager
def _opened(file: Path) -> Iterator[sqlite3.Connection]:
    import sqlite3

    try:
        database = sqlite3.connect(file, isolation_level=None)
        try:
            # Each statement is on disk when it returns: what follows it is a write of a file.
            database.execute("PRAGMA synchronous=FULL")
            yield database
        finally:
            database.close()
    except sqlite3.Error as error:
        raise NoJournal(told(file, error)) from error
