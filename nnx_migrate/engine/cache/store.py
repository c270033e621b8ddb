"""The SQLite files of what is known: answers by key, each whole or found to be damaged."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import os
import pickle
import sqlite3
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Literal

from nnx_migrate.sources.config_values import ConfigError
from nnx_migrate.sources.databases import told
from nnx_migrate.sources.kept_answers import read_answer

_IS_THERE = "SELECT 1 FROM sqlite_master WHERE name = 'answers'"
_TABLE = "CREATE TABLE IF NOT EXISTS answers (key BLOB PRIMARY KEY, head BLOB, body BLOB)"
_DAYS = "CREATE TABLE IF NOT EXISTS days (key BLOB PRIMARY KEY, day INTEGER) WITHOUT ROWID"
#: Seconds to wait for others who write; where nothing depends on it, few.
_PATIENCE, _NOT_LONG = 60.0, 1.0
Part = Literal["head", "body"]
#: Bytes in front of each part, which depend on its key.
_SEAL = 16


class DamagedShelf(ConfigError):
    """A file of answers is not what was written."""


class DamagedAnswer(ConfigError):
    """An answer is not what was written."""


class Shelf:
    """A SQLite file of answers by key.

    Args:
        file: made if it is not there.
        read_only: it belongs to another run, and has to be there.
        shared: other runs of this machine write to it meanwhile, and nobody waits long for them.

    Raises:
        ConfigError: it cannot be used.
    """

    def __init__(self, file: Path, *, read_only: bool = False, shared: bool = False) -> None:
        self.file = file
        self.used: set[bytes] = set()
        self._stays = read_only or shared
        with _explained(file):
            # Whoever wrote it is done: nothing has to be locked, which file servers are bad at.
            self._database = _connected(
                file, "?immutable=1" if read_only else "", _NOT_LONG if shared else _PATIENCE
            )
            # That run may have been killed before it made the table.
            self._empty = read_only and not self._database.execute(_IS_THERE).fetchone()
            if not read_only:
                self._database.execute("PRAGMA journal_mode=WAL")
                self._database.execute("PRAGMA synchronous=NORMAL")
                self._database.execute(_TABLE)

    def knows(self, key: bytes) -> bool:
        """Whether there is such an answer."""
        return self._row(key, "1") is not None

    def find(self, key: bytes, part: Part) -> bytes | None:
        """One part of an answer; None where there is no such answer.

        Raises:
            DamagedAnswer: it is not what was kept under this key.
        """
        row = self._row(key, part)
        return None if row is None else _unsealed(self.file, key, part, row[0])

    def _row(self, key: bytes, column: str) -> tuple[Any] | None:
        if self._empty:
            return None
        with _explained(self.file):
            query = f"SELECT {column} FROM answers WHERE key = ?"  # nosec B608  # a word of ours
            row: tuple[Any] | None = self._database.execute(query, (key,)).fetchone()
        if row is not None:
            self.used.add(key)
        return row

    def keep(self, answers: Iterable[tuple[bytes, bytes, bytes]]) -> None:
        """Put answers on disk, all or none: key, head and body."""
        rows = [
            (key, _sealed(key, "head", head), _sealed(key, "body", body))
            for key, head, body in answers
        ]
        with _explained(self.file):
            self._database.execute("BEGIN")
            self._database.executemany("INSERT OR REPLACE INTO answers VALUES (?, ?, ?)", rows)
            self._database.execute("COMMIT")
        self.used.update(row[0] for row in rows)

    def forget_unused(self) -> None:
        """Take out what this run has not asked for: of trees and versions that are gone."""
        with _explained(self.file):
            self._database.execute("BEGIN")
            self._database.execute("CREATE TEMP TABLE used (key BLOB PRIMARY KEY)")
            self._database.executemany("INSERT INTO used VALUES (?)", ((k,) for k in self.used))
            self._database.execute("DELETE FROM answers WHERE key NOT IN (SELECT key FROM used)")
            self._database.execute("DROP TABLE used")
            self._database.execute("COMMIT")

    def forget_oldest(self, most_bytes: int, today: int) -> None:
        """Keep the size in bounds: what was used longest ago goes first.

        Args:
            most_bytes: that the file may have.
            today: the number of this day.
        """
        with _explained(self.file):
            self._database.execute(_DAYS)
            self._database.execute("BEGIN IMMEDIATE")
            # Once a day is enough, so that most runs write nothing.
            self._database.executemany(
                "INSERT INTO days VALUES (?, ?) ON CONFLICT (key) "
                "DO UPDATE SET day = excluded.day WHERE day < excluded.day",
                ((key, today) for key in self.used),
            )
            self._database.execute("COMMIT")
            if self._bytes() > most_bytes:
                # What a run has kept that was killed has no day yet.
                query = "INSERT OR IGNORE INTO days SELECT key, ? FROM answers"
                self._database.execute(query, (today,))
            while self._bytes() > most_bytes and (count := self._oldest(4)):
                self._database.execute("BEGIN IMMEDIATE")
                old = "(SELECT key FROM days ORDER BY day, key LIMIT ?)"
                for table in ("answers", "days"):
                    query = f"DELETE FROM {table} WHERE key IN {old}"  # nosec B608  # words of ours
                    self._database.execute(query, (count,))
                self._database.execute("COMMIT")
                self._database.execute("VACUUM")

    def _oldest(self, part: int) -> int:
        """How many answers are one of so many parts of all, and at least one of them."""
        (there,) = self._database.execute("SELECT count(*) FROM days").fetchone()
        return int(-(-there // part))

    def _bytes(self) -> int:
        (pages,) = self._database.execute("PRAGMA page_count").fetchone()
        (size,) = self._database.execute("PRAGMA page_size").fetchone()
        return int(pages * size)

    def close(self) -> None:
        """Let go of the file, in a form that other machines can read over a network."""
        # Only the last connection to be closed puts all into one file.
        if (reader := _readers.pop((self.file, os.getpid()), None)) is not None:
            reader.close()
        if not self._stays:
            with contextlib.suppress(sqlite3.Error):
                self._database.execute("PRAGMA journal_mode=DELETE")
        self._database.close()


@dataclasses.dataclass(frozen=True, slots=True)
class OnShelf:
    """A packed index in a file that other processes of this machine may read.

    Args:
        file: the shelf.
        key: of the index.
    """

    file: Path
    key: bytes

    def load(self) -> bytes:
        """Get it.

        Raises:
            OSError: it is not there any more, or is not what was kept.
        """
        query = "SELECT body FROM answers WHERE key = ?"
        try:
            row = _reader(self.file).execute(query, (self.key,)).fetchone()
            if row is not None:
                return _unsealed(self.file, self.key, "body", row[0])
        except (sqlite3.DatabaseError, UnicodeDecodeError, DamagedAnswer):
            pass
        raise OSError(_damaged(self.file))


# A bit that changes in an index of SQLite can lead from one key to the whole answer of another.
def _sealed(key: bytes, part: Part, data: bytes) -> bytes:
    return _seal(key, part, data) + data


def _unsealed(file: Path, key: bytes, part: Part, kept: object) -> bytes:
    if isinstance(kept, bytes):
        seal, data = kept[:_SEAL], kept[_SEAL:]
        if seal == _seal(key, part, data):
            return data
    raise DamagedAnswer(_damaged(file))


def _seal(key: bytes, part: Part, data: bytes) -> bytes:
    return hashlib.blake2b(key + part.encode() + data, digest_size=_SEAL).digest()


def packed(answer: object) -> bytes:
    """An answer as it is kept: what a disk has done to it is found out."""
    return zlib.compress(pickle.dumps(answer), 1)


def unpacked(file: Path, kept: bytes) -> Any:
    """An answer that was kept.

    Args:
        file: where.
        kept: what `packed` has made of it.

    Raises:
        DamagedAnswer: it is not that any more.
    """
    try:
        return read_answer(zlib.decompress(kept))
    except (zlib.error, TypeError, ValueError):
        raise DamagedAnswer(_damaged(file)) from None


def _damaged(file: Path) -> str:
    return f"{file} is damaged; remove it (it is a cache, and is made again)"


#: By file and process: what was made before a process was forked must not be used in it.
_readers: dict[tuple[Path, int], sqlite3.Connection] = {}


def _reader(file: Path) -> sqlite3.Connection:
    key = file, os.getpid()
    if key not in _readers:
        _readers[key] = _connected(file, "?mode=ro")
    return _readers[key]


def _connected(file: Path, mode: str, patience: float = _PATIENCE) -> sqlite3.Connection:
    uri = file.absolute().as_uri() + mode
    return sqlite3.connect(
        uri, uri=True, isolation_level=None, check_same_thread=False, timeout=patience
    )


@contextlib.contextmanager
def _explained(file: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.OperationalError as error:
        raise ConfigError(told(file, error)) from error
    # The names in a damaged file need not be text.
    except (sqlite3.DatabaseError, UnicodeDecodeError):
        raise DamagedShelf(_damaged(file)) from None
