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
    observed BLOB, program TEXT, kind TEXT, numbers TEXT,
    made BLOB);
CREATE TABLE IF NOT EXISTS missed (
    path TEXT, name TEXT, reason TEXT, times INTEGER, kind TEXT,
    PRIMARY KEY (path, name, reason, kind));
CREATE TABLE IF NOT EXISTS callers (
    path TEXT, name TEXT, caller TEXT, PRIMARY KEY (path, name, caller));
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
        kind: the digest of its kind.
        numbers: the numbers of Python among its arguments.
        made: of a function that another one returned, what that one was called with, pickled.
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
    kind: str = ""
    numbers: str = ""
    made: bytes | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class Missed:
    """Calls that could not be recorded.

    Args:
        path: the file of the function.
        name: its qualified name.
        reason: why not.
        times: how many calls.
        spoken_for: whether another call of the same kind is there, or of any where the kind is
            not known.
    """

    path: str
    name: str
    reason: str
    times: int
    spoken_for: bool = False


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


def most_numbers(calls: int) -> int:
    """How many calls are kept that differ in their numbers alone.

    Args:
        calls: how many are kept of those that do not.
    """
    return 2 * calls + 2


def add_call(recording: Path, call: StoredCall, most: int) -> None:
    """Keeps a call, if there are not enough of its kind.

    Args:
        recording: the file.
        call: the call.
        most: how many are kept of a kind, in all processes; calls made while tracing do not
            count, and those with other numbers of Python are counted apart.
    """
    program = json.dumps([call.argv, call.import_paths, call.meshes.current, call.meshes.entered])
    given = (call.path, call.name, call.kept, call.module, call.arguments, call.observed)
    alike = "FROM calls WHERE path = ?1 AND name = ?2 AND kind = ?8 AND kept != 'traced'"
    with _opened(recording) as database:
        database.execute(
            "INSERT INTO calls (path, name, kept, module, arguments, observed, program, kind,"
            " numbers, made) SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?12 WHERE ?3 = 'traced'"
            f" OR ?10 > (SELECT count(*) {alike}) OR (?11 > (SELECT count(*) {alike})"
            f" AND NOT EXISTS (SELECT 1 {alike} AND numbers = ?9))",
            (*given, program, call.kind, call.numbers, most, most_numbers(most), call.made),
        )


def add_missed(recording: Path, path: str, name: str, reason: str, kind: str = "") -> None:
    """Counts a call that could not be recorded.

    Args:
        recording: the file.
        path: the file of the function.
        name: its qualified name.
        reason: why not.
        kind: of the call, where it is known.
    """
    with _opened(recording) as database:
        database.execute(
            "INSERT INTO missed VALUES (?, ?, ?, 1, ?)"
            " ON CONFLICT (path, name, reason, kind) DO UPDATE SET times = times + 1",
            (path, name, reason, kind),
        )


def add_caller(recording: Path, path: str, name: str, caller: str) -> None:
    """Notes who calls a function.

    Args:
        recording: the file.
        path: the file of the function.
        name: its qualified name.
        caller: "path:name" of the watched function around its calls; the path of a file whose
            module-level code calls it; "" for all else.
    """
    with _opened(recording) as database:
        database.execute("INSERT OR IGNORE INTO callers VALUES (?, ?, ?)", (path, name, caller))


def callers(recording: Path) -> dict[str, frozenset[str]]:
    """Who called each function, in all calls that the command made of it.

    Args:
        recording: the file; one of an earlier version does not know.

    Returns:
        By "path:name", the callers that `add_caller` was given.
    """
    found: dict[str, set[str]] = {}
    with _opened(recording) as database:
        if database.execute("SELECT 1 FROM sqlite_master WHERE name = 'callers'").fetchone():
            for path, name, caller in database.execute("SELECT path, name, caller FROM callers"):
                found.setdefault(f"{path}:{name}", set()).add(caller)
    return {name: frozenset(each) for name, each in found.items()}


def count_calls(recording: Path, path: str, name: str, kind: str) -> tuple[int, int]:
    """How many calls of a function are kept that were not made while tracing.

    Args:
        recording: the file.
        path: the file of the function.
        name: its qualified name.
        kind: of the calls.

    Returns:
        How many there are of this kind, and how many kinds there are.
    """
    with _opened(recording) as database:
        query = (
            "SELECT count(*) FILTER (WHERE kind = ?3), count(DISTINCT kind) FROM calls"
            " WHERE path = ?1 AND name = ?2 AND kept != 'traced'"
        )
        taken, kinds = database.execute(query, (path, name, kind)).fetchone()
    return int(taken), int(kinds)


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
            "SELECT path, name, kept, module, arguments, observed, program, made FROM calls"
            " WHERE id = ?",
            (number,),
        ).fetchone()
    if row is None:
        raise LookupError(f"{recording} has no call number {number}")
    path, name, kept, module, arguments, observed, program, made = row
    argv, import_paths, current, entered = json.loads(program)
    meshes = Meshes(_axes(current), _axes(entered))
    return StoredCall(
        path,
        name,
        kept,
        module,
        arguments,
        observed,
        tuple(argv),
        tuple(import_paths),
        meshes,
        made=made,
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
    """The cases of a recording; calls made while tracing count where none else is of their kind.

    Args:
        recording: the file.
    """
    with _opened(recording) as database:
        query = "SELECT id, path, name, kept, kind FROM calls ORDER BY id"
        rows = database.execute(query).fetchall()
    spoken_for = {(path, name, kind) for _, path, name, kept, kind in rows if kept != "traced"}
    serial: dict[tuple[str, str], int] = {}
    jobs = []
    for number, path, name, kept, kind in rows:
        if kept == "traced":
            if (path, name, kind) in spoken_for:
                continue
            spoken_for.add((path, name, kind))
        serial[path, name] = serial.get((path, name), 0) + 1
        jobs.append(Job(f"{path}:{name}#{serial[path, name]}", "recorded", recording, str(number)))
    return tuple(jobs)


def products_called(recording: Path, number: int) -> tuple[str, ...]:
    """Which functions that a call returned were called, as far as that is recorded.

    Args:
        recording: the file.
        number: of the call.

    Returns:
        Where they are in what it returned: "" for the result itself, "[0]" for its first part.
    """
    with _opened(recording) as database:
        rows = database.execute(
            "SELECT DISTINCT substr(made.name, length(maker.name) + 3)"
            " FROM calls AS maker JOIN calls AS made"
            " ON made.path = maker.path AND made.made = maker.arguments"
            " AND substr(made.name, 1, length(maker.name) + 2) = maker.name || '()'"
            " WHERE maker.id = ?",
            (number,),
        )
        return tuple(place for (place,) in rows)


def missed_calls(recording: Path) -> tuple[Missed, ...]:
    """The calls that could not be recorded, and why not.

    Args:
        recording: the file.
    """
    with _opened(recording) as database:
        rows = database.execute(
            "SELECT path, name, reason, sum(times), min(EXISTS (SELECT 1 FROM calls"
            " WHERE calls.path = missed.path AND calls.name = missed.name"
            " AND missed.kind IN ('', calls.kind)))"
            " FROM missed GROUP BY path, name, reason ORDER BY min(rowid)"
        )
        return tuple(
            Missed(path, name, reason, times, bool(spoken))
            for path, name, reason, times, spoken in rows
        )


@contextlib.contextmanager
def _opened(recording: Path) -> Iterator[sqlite3.Connection]:
    # A connection for each use: one that is shared survives neither fork nor another thread.
    database = sqlite3.connect(recording, timeout=60, isolation_level=None)
    try:
        database.execute("PRAGMA synchronous=OFF")
        yield database
    finally:
        database.close()
