"""What runs have written: enough to put every file back, kept in the user's own state folder.

A run is one SQLite file. A file's bytes are in it, on disk, before the file itself is replaced, so
that a run that is killed at any moment can be undone as far as it came. It lies outside of the
project, because a repository can bring any file with it, and because it holds the old bytes of
files that others may not read.
"""

from __future__ import annotations

import contextlib
import dataclasses
import datetime
import hashlib
import json
import os
import re
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from nnx_migrate.sources.databases import told
from nnx_migrate.sources.own_folder import OwnFolder
from nnx_migrate.sources.write import Replacement, holds, replace_file

if TYPE_CHECKING:
    import sqlite3

#: Names the folder for what this tool keeps between runs, in place of the system's own.
STATE_VARIABLE = "NNX_MIGRATE_STATE"
#: Older runs are forgotten: of one folder all but so many, and all of that age.
KEPT_RUNS = 20
KEPT_DAYS = 90
_NAME = "%Y%m%d-%H%M%S-%f"
_IS_NAME = re.compile(r"\d{8}-\d{6}-\d{6}\.sqlite")
_TABLES = """
CREATE TABLE IF NOT EXISTS run (command TEXT, root BLOB, trees TEXT, undone INTEGER DEFAULT 0);
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
        root: real path of the folder that it was started in.
        command: as it was typed.
        trees: real paths of the folders that it may have written to; none for any below `root`.
        undone: it was put back, as far as that was possible.
        damage: why the journal cannot be read; "" where it can.
    """

    file: Path
    root: Path
    command: str = ""
    trees: tuple[str, ...] = ()
    undone: bool = False
    damage: str = ""

    @property
    def name(self) -> str:
        """What the command line calls it."""
        return self.file.stem

    def entries(self) -> list[Entry]:
        """The files, in the order of their paths.

        Raises:
            NoJournal: the journal cannot be read, or names files that the run had no business with.
        """
        try:
            with _opened(self.file) as database:
                rows = database.execute("SELECT path, before, old, new FROM files ORDER BY path")
                return [
                    Entry(self._confined(path), zlib.decompress(before), old, new)
                    for path, before, old, new in rows
                ]
        except (zlib.error, TypeError, ValueError) as error:
            raise NoJournal(f"{self.file} is damaged: {error}") from None

    def mark_undone(self) -> None:
        """Notes that the run was undone."""
        with _opened(self.file) as database:
            database.execute("UPDATE run SET undone = 1")

    def _confined(self, path: bytes) -> Path:
        whole = Path(os.path.normpath(self.root / os.fsdecode(path)))
        trees = self.trees or (os.fspath(self.root),)
        if not any(whole.is_relative_to(tree) for tree in trees):
            raise NoJournal(f"{self.file} names {whole}, which is outside of the paths of the run")
        return whole


class Journal:
    """Writes files, and keeps what they were.

    Args:
        project: the folder that the run was started in; the journal is made when the first file is
            written.
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

    def write(self, file: Replacement) -> None:
        """Replaces the bytes of a file, as `replace_file` does.

        Raises:
            NoJournal: the old bytes cannot be kept; the file is as it was.
            WriteError: the file was left as it was.
        """
        resumed = bool(self._given)
        # Of what an earlier try has replaced the old bytes are kept already.
        if not (resumed and holds(file.path, file.after)):
            self._keep(file)
        replace_file(file, self._trees, resumed=resumed)

    def _keep(self, file: Replacement) -> None:
        if self._file is None:
            name = self._given or new_name(self._project)
            self._file = _begun(self._project, self._command, name, self._trees)
        with _opened(self._file) as database:
            database.execute("INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?)", self._row(file))

    def _row(self, file: Replacement) -> tuple[bytes, bytes, str, str]:
        # The target of a symbolic link is what is replaced.
        target = os.path.relpath(os.path.realpath(file.path), os.path.realpath(self._project))
        packed = zlib.compress(file.before)
        return os.fsencode(target), packed, digest(file.before), digest(file.after)


def state_folder() -> Path:
    """The folder for what this tool keeps of its runs: the user's own, whatever the project is."""
    if given := os.environ.get(STATE_VARIABLE):
        return Path(os.path.abspath(given))
    import platformdirs

    return platformdirs.user_state_path("nnx-migrate", appauthor=False)


def runs_of(project: Path) -> list[Run]:
    """The runs that were started in a folder, the latest first.

    Args:
        project: the folder.

    Raises:
        NoJournal: the folder of the journals cannot be used.
    """
    if not _runs_folder(project).is_dir():
        return []
    with _folder_of(project) as folder:
        names = [name for name in folder.names() if _IS_NAME.fullmatch(name)]
        files = [folder.path / name for name in reversed(names)]
    return [_run(file, Path(os.path.realpath(project))) for file in files]


def _run(file: Path, root: Path) -> Run:
    try:
        with _opened(file) as database:
            row = database.execute("SELECT command, root, trees, undone FROM run").fetchone()
        if row is None or Path(os.fsdecode(row[1])) != root:
            return Run(file, root, damage=f"{file} is damaged: it belongs to no run of this folder")
        return Run(file, root, row[0], tuple(json.loads(row[2])), bool(row[3]))
    except NoJournal as error:
        return Run(file, root, damage=str(error))
    except (TypeError, ValueError) as error:
        return Run(file, root, damage=f"{file} is damaged: {error}")


def digest(data: bytes) -> str:
    """The digest by which a journal knows bytes."""
    return hashlib.sha256(data).hexdigest()


def new_name(project: Path) -> str:
    """A name for a run that begins now, behind those that there are even if the clock was put back.

    Args:
        project: the folder that it is started in.
    """
    name = datetime.datetime.now(datetime.UTC).strftime(_NAME)
    with contextlib.suppress(OSError):
        names = filter(_IS_NAME.fullmatch, os.listdir(_runs_folder(project)))
        last = max(names, default="").removesuffix(".sqlite")
        if last >= name:
            with contextlib.suppress(ValueError, OverflowError):
                moment = datetime.datetime.strptime(last, _NAME)
                return (moment + datetime.timedelta(microseconds=1)).strftime(_NAME)
    return name


def _runs_folder(project: Path) -> Path:
    key = hashlib.sha256(os.fsencode(os.path.realpath(project))).hexdigest()[:32]
    return state_folder() / "runs" / key


@contextlib.contextmanager
def _folder_of(project: Path) -> Iterator[OwnFolder]:
    folder = _runs_folder(project)
    try:
        with OwnFolder(folder, private=True, base=state_folder().parent) as own:
            yield own
    except OSError as error:
        where = error.filename or folder
        raise NoJournal(
            f"{where}: {error.strerror} (the folder that {STATE_VARIABLE} names is used instead)"
        ) from error


def _begun(project: Path, command: str, name: str, trees: Sequence[str]) -> Path:
    own = f"{name}.sqlite"
    with _folder_of(project) as folder:
        _forget_old(folder, own)
        file = folder.require_file(own)
        with contextlib.suppress(FileExistsError):
            os.close(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    with _opened(file) as database:
        database.executescript(_TABLES)
        # A run that goes on with an earlier one keeps what that has typed.
        once = (
            "INSERT INTO run (command, root, trees) SELECT ?, ?, ? "
            "WHERE NOT EXISTS (SELECT 1 FROM run)"
        )
        typed = command.encode(errors="backslashreplace").decode()
        root = os.fsencode(os.path.realpath(project))
        database.execute(once, (typed, root, json.dumps(list(trees))))
    return file


def _forget_old(folder: OwnFolder, own: str) -> None:
    oldest = datetime.datetime.now(datetime.UTC) - datetime.timedelta(days=KEPT_DAYS)
    names = [name for name in folder.names() if _IS_NAME.fullmatch(name) and name != own]
    kept = [name for name in names if name >= oldest.strftime(_NAME)][-(KEPT_RUNS - 1) :]
    for name in set(names) - set(kept):
        folder.remove(name)
    # Projects that are gone: nobody will start a run in their folders again.
    for other in os.scandir(folder.path.parent):
        last = max(filter(_IS_NAME.fullmatch, os.listdir(other)), default="")
        if other.name != folder.path.name and last < oldest.strftime(_NAME):
            with OwnFolder(Path(other), private=True, base=folder.path.parent) as gone:
                for name in gone.names():
                    gone.remove(name)
            os.rmdir(other)


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
