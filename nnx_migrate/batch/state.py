"""Where a batch run stands, on disk: its plan is there before the first file is written.

Facts come from files as they are. Once some are written, the others must not be planned again from
what is half old and half new: a run that goes on writes what was planned.
"""

from __future__ import annotations

import contextlib
import dataclasses
import enum
import json
import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from nnx_migrate.core.findings import FileResult
from nnx_migrate.core.totals import RunResult, count
from nnx_migrate.engine.cache.store import packed, unpacked
from nnx_migrate.sources.config_values import ConfigError
from nnx_migrate.sources.databases import told

_TABLES = """
CREATE TABLE IF NOT EXISTS run (phase TEXT, request TEXT, journal TEXT, found TEXT);
CREATE TABLE IF NOT EXISTS planned (path BLOB PRIMARY KEY, result BLOB);
CREATE TABLE IF NOT EXISTS history (moment TEXT, summary TEXT);
"""


class Phase(enum.StrEnum):
    """How far a run has come."""

    PLANNING = "planning"
    WRITING = "writing"
    DONE = "done"


@dataclasses.dataclass(frozen=True, slots=True)
class Standing:
    """The last run of a folder.

    Args:
        phase: how far it came.
        request: what it was told to do.
        journal: what `undo` calls it.
    """

    phase: Phase
    request: str
    journal: str


class State:
    """The state of the runs that share an output folder.

    Args:
        file: made if it is not there.

    Raises:
        ConfigError: it cannot be used.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        with self._changing() as database:
            database.executescript(_TABLES)

    def standing(self) -> Standing | None:
        """The last run; None before the first."""
        with self._changing() as database:
            row = database.execute("SELECT phase, request, journal FROM run").fetchone()
            return None if row is None else Standing(Phase(row[0]), str(row[1]), str(row[2]))

    def begin(self, request: str) -> None:
        """Note that a run plans; whatever an earlier one has planned is forgotten."""
        with self._changing() as database:
            database.execute("BEGIN IMMEDIATE")
            database.execute("DELETE FROM run")
            database.execute("DELETE FROM planned")
            database.execute("INSERT INTO run VALUES (?, ?, '', '')", (Phase.PLANNING, request))
            database.execute("COMMIT")

    def settle(self, result: RunResult, journal: str) -> None:
        """Note the whole plan, and that it is going to be written.

        Args:
            result: every file as it was planned.
            journal: what `undo` will call the run.
        """
        found = {
            "looked_at": result.totals.looked_at,
            "missing": [os.fspath(path) for path in result.missing],
        }
        with self._changing() as database:
            database.execute("BEGIN IMMEDIATE")
            database.executemany(
                "INSERT INTO planned VALUES (?, ?)",
                ((os.fsencode(each.path), packed(each)) for each in result.results),
            )
            database.execute(
                "UPDATE run SET phase = ?, journal = ?, found = ?",
                (Phase.WRITING, journal, json.dumps(found)),
            )
            database.execute("COMMIT")

    def settled(self) -> RunResult:
        """The plan of a run that has begun to write."""
        with self._changing() as database:
            (found,) = database.execute("SELECT found FROM run").fetchone()
            rows = database.execute("SELECT result FROM planned ORDER BY path").fetchall()
            known = json.loads(found)
            results: list[FileResult] = [unpacked(self._file, row[0]) for row in rows]
            results.sort(key=lambda each: str(each.path))
            totals = count(results, known["looked_at"])
            return RunResult(tuple(results), totals, tuple(map(Path, known["missing"])))

    def finish(self, moment: str, summary: Mapping[str, Any]) -> None:
        """Note that a run is done, and what came of it."""
        with self._changing() as database:
            database.execute("BEGIN IMMEDIATE")
            database.execute("UPDATE run SET phase = ?", (Phase.DONE,))
            database.execute("DELETE FROM planned")
            database.execute("INSERT INTO history VALUES (?, ?)", (moment, json.dumps(summary)))
            database.execute("COMMIT")

    def history(self) -> Sequence[tuple[str, Mapping[str, Any]]]:
        """What came of the runs that are done, the first one first."""
        with self._changing() as database:
            rows = database.execute("SELECT moment, summary FROM history ORDER BY rowid").fetchall()
            return [(moment, json.loads(summary)) for moment, summary in rows]

    @contextlib.contextmanager
    def _changing(self) -> Iterator[sqlite3.Connection]:
        try:
            database = sqlite3.connect(self._file, isolation_level=None)
            try:
                database.execute("PRAGMA synchronous=FULL")
                yield database
            finally:
                database.close()
        except sqlite3.OperationalError as error:
            raise ConfigError(told(self._file, error)) from error
        # Of a damaged file what is in it may be of any form.
        except (
            sqlite3.DatabaseError,
            AttributeError,
            LookupError,
            TypeError,
            ValueError,
        ) as error:
            raise ConfigError(
                f"{self._file} is damaged; if the run had written files, undo that first "
                "(nnx-migrate undo last), then remove it and start again"
            ) from error
