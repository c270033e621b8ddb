"""Where the cases of a check come from: case files, the user's own program, a kept recording."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from pathlib import Path

from nnx_migrate.check.cases.casefile import case_names
from nnx_migrate.check.cases.touched import module_jobs, touched_functions
from nnx_migrate.check.jobs import Job, Side
from nnx_migrate.check.recording import store
from nnx_migrate.check.recording.command import record


class CannotCheck(Exception):
    """Nothing can be checked at all; the text says why and what to do."""


@dataclasses.dataclass(frozen=True, slots=True)
class Inputs:
    """What is to be checked.

    Args:
        jobs: the cases.
        remarks: what is not among them, and why.
    """

    jobs: tuple[Job, ...]
    remarks: tuple[str, ...] = ()


def cases_of(files: Sequence[Path]) -> Inputs:
    """The cases of case files.

    Args:
        files: their paths.

    Raises:
        CannotCheck: a file is not there, is no Python, or has no case in it.
    """
    jobs: list[Job] = []
    for file in files:
        try:
            names = case_names(file)
        except (OSError, SyntaxError) as error:
            raise CannotCheck(f"{file}: {error}") from error
        if not names:
            raise CannotCheck(f"{file}: no function in it is named case_... or drive(program)")
        jobs += [
            Job(f"{file.name}:{name.removeprefix('case_')}", "function", file.resolve(), name)
            for name in names
        ]
    return Inputs(tuple(jobs))


def record_command(
    command: Sequence[str],
    old: Side,
    new: Side,
    recording: Path,
    *,
    calls: int,
    environment: dict[str, str],
) -> Inputs:
    """Runs the user's own program on the old tree and takes the calls of what was touched.

    Args:
        command: as it is typed in the old tree.
        old: the old tree.
        new: the new one, which tells what was touched.
        recording: the file that keeps the calls.
        calls: how many are kept of a function.
        environment: variables for the command.

    Raises:
        CannotCheck: the command could not be run at all.
    """
    touched = touched_functions(old, new)
    modules = module_jobs(touched)
    watched = [each for each in touched if each.functions or each.values]
    remarks = [remark for each in touched for remark in each.remarks]
    if not touched:
        remarks = ["no function differs between OLD and NEW"]
    if not watched:
        return Inputs(modules, tuple(remarks))
    outcome = record(
        command, old, watched, recording, calls=calls, environment=environment, timeout=None
    )
    remarks += _never_called(outcome.never_called)
    remarks += [
        f"{each.path}:{each.name}: {each.times} calls were not recorded: {each.reason}"
        for each in outcome.missed
    ]
    if outcome.exit_code is None:
        raise CannotCheck(outcome.problem)
    if outcome.exit_code:
        remarks.insert(0, f"`{' '.join(command)}` ended with exit code {outcome.exit_code}")
    return Inputs((*store.recorded_jobs(recording), *modules), tuple(remarks))


def _never_called(names: Sequence[str]) -> Iterator[str]:
    """One line a file: a package has many functions, and a test runs few of them."""
    functions: dict[str, list[str]] = {}
    for name in names:
        file, _, function = name.rpartition(":")
        functions.setdefault(file, []).append(function)
    for file, found in functions.items():
        were = "was" if len(found) == 1 else "were"
        yield f"{file}:{', '.join(found)} {were} never called"


def kept_recording(recording: Path) -> Inputs:
    """The calls of an earlier recording.

    Args:
        recording: the file.

    Raises:
        CannotCheck: there is no such file.
    """
    if not recording.is_file():
        raise CannotCheck(f"there is no recording {recording}")
    return Inputs(store.recorded_jobs(recording))
