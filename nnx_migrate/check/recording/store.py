"""The file that keeps recorded calls: one SQLite database, written to by several processes."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import json
import pickle
import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal

from nnx_migrate.check.compare.forms import Observation
from nnx_migrate.check.jobs import Job
from nnx_migrate.check.recording.meshes import Axes, Meshes

Kept = Literal["values", "shapes", "traced"]

_TABLES = """
CREATE TABLE IF NOT EXISTS calls (
    id INTEGER PRIMARY KEY, path TEXT, name TEXT, kept TEXT, module TEXT, arguments BLOB,
    observed BLOB, program TEXT);
CREATE TABLE IF NOT EXISTS missed (
    path TEXT, name TEXT, reason TEXT, times INTEGER, PRIMARY KEY (path, name, reason));
"""


@dataclasses.dataclass(frozen=True, slots=True)
class StoredCall:
    """A call as it is kept.

    Args:
        path: the file of the function, relative to the tree.
        name: its qualified name.
        kept: "values"; "shapes" for a call that was too large; "traced" for one made while
            another function was traced, whose arguments have shapes only.
        module: the name under which the file was imported, "" for a script.
        arguments: positional and keyword arguments before the call, pickled (`packing`).
        observed: what came of it, pickled; None where that is not known.
        argv: the command line of the program.
        import_paths: where it imported from, as far as it lies in the tree, relative to it.
        meshes: those that were set around it.
    """

    path: str
    name: str
    kept: Kept
    module: str
    arguments: bytes
    observed: bytes | None
    argv: tuple[str, ...]
    import_paths: tuple[str, ...]
    meshes: Meshes = dataclasses.field(default_factory=Meshes)


@dataclasses.dataclass(frozen=True, slots=True)
class Missed:
    """Calls that could not be recorded.

    Args:
        path: the file of the function.
        name: its qualified name.
        reason: why not.
        times: how many calls.
    """

    path: str
    name: str
    reason: str
    times: int


def create(recording: Path) -> None:
    """Makes an empty recording in the place of an older one.

    Args:
        recording: the file.
    """
    for suffix in ("", "-wal", "-shm"):
        Path(f"{recording}{suffix}").unlink(missing_ok=True)
    with _opened(recording) as database:
        database.execute("PRAGMA journal_mode=WAL")
        database.executescript(_TABLES)


def settle(recording: Path) -> None:
    """Puts a recording into its one file, once nobody writes to it any more.

    Args:
        recording: the file.
    """
    with _opened(recording) as database:
        database.execute("PRAGMA journal_mode=DELETE")


def add_call(recording: Path, call: StoredCall, most: int) -> None:
    """Keeps a call, if there are not enough of its function.

    Args:
        recording: the file.
        call: the call.
        most: how many are kept of a function, in all processes; calls made while tracing do not
            count.
    """
    program = json.dumps([call.argv, call.import_paths, call.meshes.current, call.meshes.entered])
    given = (call.path, call.name, call.kept, call.module, call.arguments, call.observed, program)
    with _opened(recording) as database:
        database.execute(
            "INSERT INTO calls (path, name, kept, module, arguments, observed, program)"
            " SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7 WHERE ?3 = 'traced' OR ?8 >"
            " (SELECT count(*) FROM calls WHERE path = ?1 AND name = ?2 AND kept != 'traced')",
            (*given, most),
        )


def add_missed(recording: Path, path: str, name: str, reason: str) -> None:
    """Counts a call that could not be recorded.

    Args:
        recording: the file.
        path: the file of the function.
        name: its qualified name.
        reason: why not.
    """
    with _opened(recording) as database:
        database.execute(
            "INSERT INTO missed VALUES (?, ?, ?, 1)"
            " ON CONFLICT (path, name, reason) DO UPDATE SET times = times + 1",
            (path, name, reason),
        )


def count_calls(recording: Path, path: str, name: str) -> int:
    """How many calls of a function are kept that were not made while tracing.

    Args:
        recording: the file.
        path: the file of the function.
        name: its qualified name.
    """
    with _opened(recording) as database:
        query = "SELECT count(*) FROM calls WHERE path = ? AND name = ? AND kept != 'traced'"
        (count,) = database.execute(query, (path, name)).fetchone()
    return int(count)


def read_call(recording: Path, number: int) -> StoredCall:
    """Reads a call.

    Args:
        recording: the file.
        number: of the call: the `entry` of its job.

    Raises:
        LookupError: it is not in there.
    """
    with _opened(recording) as database:
        row = database.execute(
            "SELECT path, name, kept, module, arguments, observed, program FROM calls WHERE id = ?",
            (number,),
        ).fetchone()
    if row is None:
        raise LookupError(f"{recording} has no call number {number}")
    path, name, kept, module, arguments, observed, program = row
    argv, import_paths, current, entered = json.loads(program)
    meshes = Meshes(_axes(current), _axes(entered))
    return StoredCall(
        path, name, kept, module, arguments, observed, tuple(argv), tuple(import_paths), meshes
    )


def _axes(read: Iterable[tuple[str, int, str]]) -> Axes:
    return tuple((axis, size, kind) for axis, size, kind in read)


def recorded_observation(recording: Path, number: int) -> Observation | None:
    """What came of a call in the user's own run.

    Args:
        recording: the file.
        number: of the call.

    Returns:
        None where it is not known: the call was traced, or too large.

    Raises:
        LookupError: there is no such call.
    """
    observed = read_call(recording, number).observed
    if observed is None:
        return None
    found = pickle.loads(observed)  # nosec B301  # `check` runs the user's code, and says so
    assert isinstance(found, Observation)
    return found


def call_digest(recording: Path, number: int) -> str:
    """A hash of all that a call is replayed from.

    Args:
        recording: the file.
        number: of the call.

    Raises:
        LookupError: it is not in there.
    """
    call = dataclasses.replace(read_call(recording, number), observed=None)
    return hashlib.sha256(repr(dataclasses.astuple(call)).encode()).hexdigest()


def recorded_jobs(recording: Path) -> tuple[Job, ...]:
    """The cases of a recording; calls made while tracing count for functions that have no other.

    Args:
        recording: the file.
    """
    with _opened(recording) as database:
        rows = database.execute("SELECT id, path, name, kept FROM calls ORDER BY id").fetchall()
    concrete = {(path, name) for _, path, name, kept in rows if kept != "traced"}
    serial: dict[tuple[str, str], int] = {}
    jobs = []
    for number, path, name, kept in rows:
        seen = serial.get((path, name), 0)
        if kept == "traced" and ((path, name) in concrete or seen):
            continue
        serial[path, name] = seen + 1
        jobs.append(Job(f"{path}:{name}#{seen + 1}", "recorded", recording, str(number)))
    return tuple(jobs)


def missed_calls(recording: Path) -> tuple[Missed, ...]:
    """The calls that could not be recorded, and why not.

    Args:
        recording: the file.
    """
    with _opened(recording) as database:
        rows = database.execute("SELECT path, name, reason, times FROM missed ORDER BY rowid")
        return tuple(Missed(*row) for row in rows)


@contextlib.contextmanager
def _opened(recording: Path) -> Iterator[sqlite3.Connection]:
    # A connection for each use: one that is shared survives neither fork nor another thread.
    database = sqlite3.connect(recording, timeout=60, isolation_level=None)
    try:
        database.execute("PRAGMA synchronous=OFF")
        yield database
    finally:
        database.close()
