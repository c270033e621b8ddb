"""Where the cases of a check come from: case files, the user's own program, a kept recording."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path

from nnx_migrate.check.cases.casefile import case_names
from nnx_migrate.check.cases.readers import is_spoken_for, with_readers
from nnx_migrate.check.cases.touched import Touched, module_jobs
from nnx_migrate.check.jobs import Job, Side
from nnx_migrate.check.recording import store
from nnx_migrate.check.recording.command import never_called, record


class CannotCheck(Exception):
    """Nothing can be checked at all; the text says why and what to do."""


@dataclasses.dataclass(frozen=True, slots=True)
class Inputs:
    """What is to be checked.

    Args:
        jobs: the cases.
        remarks: what is told beside the verdicts.
        gaps: what differs between the trees and is not among them, and why.
    """

    jobs: tuple[Job, ...]
    remarks: tuple[str, ...] = ()
    gaps: tuple[str, ...] = ()


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
            raise CannotCheck(f"{file} has no function named case_... or drive(program)")
        jobs += [
            Job(f"{file.name}:{name.removeprefix('case_')}", "function", file.resolve(), name)
            for name in names
        ]
    return Inputs(tuple(jobs))


def record_command(
    command: Sequence[str],
    old: Side,
    new: Side,
    touched: Sequence[Touched],
    recording: Path,
    *,
    calls: int,
    environment: dict[str, str],
) -> Inputs:
    """Runs the user's own program on the old tree and takes the calls of what was touched.

    Args:
        command: as it is typed in the old tree.
        old: the old tree.
        new: the new tree.
        touched: what differs in the new one.
        recording: the file that keeps the calls.
        calls: how many are kept of a function.
        environment: variables for the command.

    Raises:
        CannotCheck: the command could not be run at all.
    """
    gaps = [remark for each in touched for remark in each.remarks]
    watching = with_readers(old, touched)
    modules = module_jobs(watching)
    watched = [each for each in watching if each.watched]
    if not touched:
        return Inputs(modules, ("OLD and NEW have the same functions",))
    if not watched:
        return Inputs(modules, gaps=tuple(gaps))
    try:
        outcome = record(
            command, old, watched, recording, calls=calls, environment=environment, timeout=None
        )
    except KeyboardInterrupt:
        raise CannotCheck(
            "interrupted while the command ran; to check the calls so far, use --recording "
            f"{recording}"
        ) from None
    if outcome.exit_code is None:
        raise CannotCheck(outcome.problem)
    if outcome.exit_code:
        ended = f"`{' '.join(command)}` ended with exit code {outcome.exit_code}"
        missing = _only_in_new(command, old, new)
        gaps.insert(0, f"{ended}; {missing}" if missing else ended)
    found = _recorded(recording, watched)
    return Inputs((*found.jobs, *modules), found.remarks, (*gaps, *found.gaps))


def _only_in_new(command: Sequence[str], old: Side, new: Side) -> str:
    """What a command names that the old tree does not have: a test that is not committed yet."""
    paths = {word.partition("::")[0] for word in command[1:]} - {""}
    missing = sorted(p for p in paths if (new.top / p).exists() and not (old.top / p).exists())
    if not missing:
        return ""
    step = "commit what is missing" if old.given.startswith("git:") else "add what is missing"
    return f"it runs in OLD, which lacks {', '.join(missing)}: {step}"


def kept_recording(recording: Path, old: Side, touched: Sequence[Touched]) -> Inputs:
    """The calls of an earlier recording.

    Args:
        recording: the file.
        old: the old tree.
        touched: what differs between the trees.

    Raises:
        CannotCheck: there is no such file.
    """
    if not recording.is_file():
        raise CannotCheck(f"there is no recording {recording}")
    gaps = [remark for each in touched for remark in each.remarks]
    watching = with_readers(old, touched)
    found = _recorded(recording, watching)
    return Inputs((*found.jobs, *module_jobs(watching)), found.remarks, (*gaps, *found.gaps))


def _recorded(recording: Path, watched: Sequence[Touched]) -> Inputs:
    """The calls of a recording, and what was touched and is not among them."""
    jobs = store.recorded_jobs(recording)
    missed = store.missed_calls(recording)
    gaps = _never_called(never_called(recording, watched))
    remarks: list[str] = []
    recorded = {job.name.rpartition("#")[0] for job in jobs}
    values = {each.path: each for each in watched}
    for each in missed:
        line = f"{each.path}:{each.name}: {_times(each.times)} not recorded: {each.reason}"
        # A function of which other calls of the kind are there was looked at.
        if is_spoken_for(values.get(each.path), each.name, recorded):
            remarks.append(f"{each.path}:{each.name} is checked in the functions that read it")
        else:
            (remarks if each.spoken_for else gaps).append(line)
    return Inputs(jobs, tuple(remarks), tuple(gaps))


def _times(count: int) -> str:
    return "1 call was" if count == 1 else f"{count} calls were"


def _never_called(names: Sequence[str]) -> list[str]:
    """One line a file: a package has many functions, and a test runs few of them."""
    functions: dict[str, list[str]] = {}
    for name in names:
        file, _, function = name.rpartition(":")
        functions.setdefault(file, []).append(function)
    return [
        f"{file}:{', '.join(found)} {'was' if len(found) == 1 else 'were'} never called"
        for file, found in functions.items()
    ]
