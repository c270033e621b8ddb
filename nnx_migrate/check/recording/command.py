"""Runs the user's own command on the old tree, and records."""

from __future__ import annotations

import dataclasses
import os
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from nnx_migrate.check.cases.touched import Touched
from nnx_migrate.check.child_process import exit_code_of, variables_for
from nnx_migrate.check.jobs import Side
from nnx_migrate.check.recording import store
from nnx_migrate.check.recording.compiling import HOOK, VARIABLE
from nnx_migrate.check.recording.settings import write_settings
from nnx_migrate.sources.own_folder import OwnFolder

MOST_BYTES = 64 * 2**20


@dataclasses.dataclass(frozen=True, slots=True)
class RecordOutcome:
    """What became of a recording.

    Args:
        exit_code: of the command; None where it was stopped, or could not be started.
        recorded: how many cases there are now.
        missed: calls and functions that could not be recorded.
        never_called: touched functions of which there is no call, "train.py:train_step".
        problem: why the command did not end by itself, "" if it did.
        seconds: how long it ran.
    """

    exit_code: int | None
    recorded: int
    missed: tuple[store.Missed, ...]
    never_called: tuple[str, ...]
    problem: str
    seconds: float


def record(
    command: Sequence[str],
    old: Side,
    touched: Sequence[Touched],
    recording: Path,
    *,
    calls: int = 3,
    most_bytes: int = MOST_BYTES,
    environment: Mapping[str, str] | None = None,
    timeout: float | None = None,
) -> RecordOutcome:
    """Runs a command and records the calls of touched functions; what it prints goes to stderr.

    Args:
        command: as the user would type it in the old tree.
        old: the old tree.
        touched: what is recorded.
        recording: the file that takes the calls; an older one is replaced.
        calls: how many are kept of a function.
        most_bytes: of a call; of larger ones the shapes are kept.
        environment: variables for the command, over those of this process.
        timeout: seconds after which it is stopped; what is recorded by then stays.
    """
    root = (old.root if old.root.is_dir() else old.root.parent).resolve()
    with OwnFolder(recording.parent) as folder_of_recording:
        folder_of_recording.require_file(recording.name)
    store.create(recording)
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="nnx-migrate-") as folder:
        settings = Path(folder) / "recording.json"
        write_settings(settings, root, recording.resolve(), calls, most_bytes, touched)
        given = {**os.environ, **(environment or {}), VARIABLE: str(settings)}
        variables = variables_for(old, "graph", given, first=(str(HOOK),))
        exit_code, problem = _run(command, root, variables, timeout)
    seconds = time.monotonic() - started
    store.settle(recording)
    never = never_called(recording, touched)
    recorded = len(store.recorded_jobs(recording))
    return RecordOutcome(
        exit_code, recorded, store.missed_calls(recording), never, problem, seconds
    )


def never_called(recording: Path, touched: Sequence[Touched]) -> tuple[str, ...]:
    """The touched functions of which a recording knows nothing, "train.py:train_step".

    Args:
        recording: the file.
        touched: what was to be recorded.
    """
    watched = [f"{each.path}:{name}" for each in touched for name in each.watched]
    known = {job.name.rpartition("#")[0] for job in store.recorded_jobs(recording)}
    known |= {f"{each.path}:{each.name}" for each in store.missed_calls(recording)}
    # The parts of a property are recorded one by one.
    return tuple(
        name
        for name in watched
        if not any(each == name or each.startswith(f"{name}.f") for each in known)
    )


def _run(
    command: Sequence[str], cwd: Path, variables: Mapping[str, str], timeout: float | None
) -> tuple[int | None, str]:
    try:
        return exit_code_of(command, cwd, variables, timeout), ""
    except OSError as error:
        return None, f"cannot run {command[0]}: {error.strerror or error}"
    except subprocess.TimeoutExpired:
        return None, f"stopped after {timeout:g} s"
