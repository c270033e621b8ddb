"""What `nnx-migrate observe` does between its flags and its exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from nnx_migrate.check.cases.notebooks import NOTEBOOK
from nnx_migrate.cli import console
from nnx_migrate.engine.discover import excludes_of
from nnx_migrate.observe.command import CannotRun, Observed, observe
from nnx_migrate.report.text import printable
from nnx_migrate.sources.configuration import Configuration
from nnx_migrate.sources.facts.observed_facts import (
    FactsError,
    ObservedFacts,
    facts_text,
    read_facts,
)
from nnx_migrate.sources.own_folder import put_file
from nnx_migrate.sources.walk.discovery import Walk

_INTERRUPTED = 130


def observe_command(command: Sequence[str], out: Path, *, fresh: bool) -> int:
    """Run the command, write the facts, and return the exit code.

    Args:
        command: as it would be typed.
        out: the file of facts.
        fresh: forget what is in it.
    """
    with console.errors_reported():
        before = None if fresh or not out.exists() else _facts_before(out)
        if not out.resolve().parent.is_dir():
            console.stop(f"cannot write {out}: its folder does not exist; create it first")
        here = Path.cwd()
        if before is not None and before.root != here.resolve():
            console.stop(
                f"{out} has facts of another folder, {before.root}; name another file with --out, "
                "or drop these facts with --fresh"
            )
        try:
            found = observe(command, here, watched_files(here))
        except CannotRun as error:
            console.stop(f"{error}; after --, write the command as you would type it")
        facts = found.facts if before is None else before.joined(found.facts)
        root = os.path.relpath(here.resolve(), out.resolve().parent)
        put_file(out, facts_text(facts, Path(root).as_posix()).encode())
        _tell(found, out)
        return _INTERRUPTED if found.exit_code is None else found.exit_code


def _facts_before(out: Path) -> ObservedFacts:
    try:
        return read_facts(out)
    except FactsError as error:
        console.stop(f"{error}; or ignore the file with --fresh")


def watched_files(folder: Path) -> Iterator[Path]:
    """The Python files and notebooks below a folder that a migration would look at."""
    walk = Walk([folder], excludes_of(Configuration({}), lenient=True))
    for candidate in walk:
        if candidate.path.suffix in {".py", NOTEBOOK}:
            yield candidate.path
    for listing in walk.others:
        yield from (Path(listing.shown, name) for name in listing.names)


def _tell(found: Observed, out: Path) -> None:
    """Say on stderr what was seen, and what to do with it."""
    files = [file for file in found.facts.files.values() if file.functions]
    functions = sum(len(file.functions) for file in files)
    calls = sum(seen.calls for file in files for seen in file.functions.values())
    if not functions and found.exit_code:
        told = (
            f"the command ended with exit code {found.exit_code} before it ran any of the "
            f"{found.watched} files here, so {out} says nothing about them; first make the "
            "command work without observe, in this folder"
        )
    elif not functions:
        told = (
            f"the command ran none of the {found.watched} files here, so {out} says nothing about "
            "them; run observe in the folder that holds your code"
        )
    else:
        told = (
            f"{calls} calls of {functions} functions in {len(files)} files observed;"
            f" next: nnx-migrate apply . --facts {out} --dry-run"
        )
    print(f"nnx-migrate: {printable(told)}", file=sys.stderr)
