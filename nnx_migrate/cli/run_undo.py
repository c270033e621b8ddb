"""What `nnx-migrate undo` does between its flags and its exit code."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TypeVar

from nnx_migrate.cli.console import DONE, WORK_LEFT, stop
from nnx_migrate.report.text import first_on_line, printable
from nnx_migrate.sources.journal import NoJournal, Run, runs_of

T = TypeVar("T")


def list_runs() -> int:
    """Print the runs of the current folder that can be undone."""
    runs = _known_runs()
    for each in runs:
        try:
            files = len(each.entries()) if not each.damage else 0
        except NoJournal as error:
            each = dataclasses.replace(each, damage=str(error))
        if each.damage:
            print(f"{each.name}  {printable(each.damage)}")
            continue
        plural = "" if files == 1 else "s"
        state = ", undone" if each.undone else ""
        print(f"{each.name}  {files} file{plural}{state}  {printable(each.command)}")
    if not runs:
        print(f"no run of nnx-migrate has written files from this folder{_above()}")
    return DONE


def undo_run(name: str) -> int:
    """Put the files of a run back, and say of each what became of it."""
    from nnx_migrate.engine.undo import Undone, undo

    runs = _known_runs()
    wanted = [r for r in runs if r.name == name or (name == "last" and not r.undone)]
    if not wanted:
        listed = "" if runs else _above()
        hint = listed or "; to list the runs: nnx-migrate undo"
        which = "run" if name == "last" else f"run {printable(name)}"
        stop(f"there is no {which} to undo here{hint}")
    if damage := wanted[0].damage:
        stop(f"{printable(damage)}: it cannot be undone; to list the other runs: nnx-migrate undo")
    left = False
    for file in _journal_explained(undo(wanted[0])):
        why = f": {file.reason}" if file.reason else ""
        path = first_on_line(printable(str(_from_here(file.path))))
        print(f"{path} {file.outcome}{printable(why)}")
        left = left or file.outcome is Undone.REFUSED
    return WORK_LEFT if left else DONE


def _known_runs() -> list[Run]:
    try:
        return runs_of(Path.cwd())
    except NoJournal as error:
        stop(str(error))


def _above() -> str:
    """Where the runs are that were started in a folder above, for who stands too deep."""
    for folder in Path.cwd().parents:
        try:
            if any(not each.undone for each in runs_of(folder)):
                return f"; runs were started in {printable(str(folder))}: go there to undo them"
        except NoJournal:
            return ""
    return ""


def _journal_explained(files: Iterable[T]) -> Iterator[T]:
    try:
        yield from files
    except NoJournal as error:
        stop(str(error))


def _from_here(path: Path) -> Path:
    here = Path.cwd().resolve()
    return path.relative_to(here) if path.is_relative_to(here) else path
