"""Runs a command, and gathers what its processes have seen."""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from nnx_migrate.analysis.flax.transforms import SITE_NAMES
from nnx_migrate.check.cases.notebooks import NOTEBOOK, cells_of
from nnx_migrate.check.recording.compiling import HOOK, VARIABLE
from nnx_migrate.sources.facts.observed_facts import (
    RUNNING_TEST,
    ObservedFacts,
    SeenClass,
    SeenFile,
    SeenFunction,
    SeenPlace,
    digest,
    seen_function,
)


@dataclasses.dataclass(frozen=True, slots=True)
class Observed:
    """What came of a run.

    Args:
        exit_code: of the command; None where it was interrupted.
        facts: what was seen.
        watched: how many files were watched.
    """

    exit_code: int | None
    facts: ObservedFacts
    watched: int


class CannotRun(Exception):
    """The command could not be started; the text says why."""


def observe(command: Sequence[str], root: Path, files: Iterable[Path]) -> Observed:
    """Runs a command in the current folder, as it is, and watches functions.

    Args:
        command: as it would be typed.
        root: what the names of files start from.
        files: those whose functions are watched.

    Raises:
        CannotRun: there is no such command.
    """
    root = root.resolve()
    touched = {os.path.realpath(file): Path(os.path.realpath(file)) for file in files}
    names = {
        path: file.relative_to(root).as_posix()
        for path, file in touched.items()
        if file.is_relative_to(root)
    }
    digests = {name: digest(Path(path)) for path, name in names.items()}
    with tempfile.TemporaryDirectory(prefix="nnx-migrate-") as folder:
        told = Path(folder) / "seen"
        told.mkdir()
        settings = Path(folder) / "observe.json"
        settings.write_text(json.dumps(_settings(told, names)))
        exit_code = _run(command, _variables(settings))
        lines = list(_lines(told))
    functions = _gathered(line for line in lines if "path" in line)
    classes = _classes(line for line in lines if "class" in line)
    places = _places(line for line in lines if "span" in line)
    seen = {
        name: SeenFile(
            digests[name], functions.get(name, {}), classes.get(name, {}), places.get(name, {})
        )
        for name in sorted(digests)
        if name in functions or name in classes or name in places
    }
    return Observed(exit_code, ObservedFacts(root, tuple(command), seen), len(names))


def _settings(folder: Path, names: dict[str, str]) -> dict[str, Any]:
    notebooks = {path: name for path, name in names.items() if path.endswith(NOTEBOOK)}
    return {
        "instrument": "nnx_migrate.observe.instrument",
        "folder": str(folder),
        # For a Python that does not have this package installed.
        "package": str(Path(__file__).resolve().parents[2]),
        "touched": {path: name for path, name in names.items() if path not in notebooks},
        "cells": cells_of({Path(path): name for path, name in notebooks.items()}),
        "transforms": sorted(SITE_NAMES),
    }


def _variables(settings: Path) -> dict[str, str]:
    # Of the test that this runs in, where it does, the command knows nothing.
    variables = {name: value for name, value in os.environ.items() if name != RUNNING_TEST}
    paths = [str(HOOK), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**variables, "PYTHONPATH": os.pathsep.join(paths), VARIABLE: str(settings)}


def _run(command: Sequence[str], variables: dict[str, str]) -> int | None:
    try:
        process = subprocess.Popen(command, env=variables)
    except OSError as error:
        raise CannotRun(f"cannot run {command[0]}: {error.strerror or error}") from None
    try:
        return process.wait()
    except KeyboardInterrupt:
        # The terminal has told the command, too; what it saw by now is kept.
        process.wait()
        return None


def _lines(folder: Path) -> Iterator[dict[str, Any]]:
    for file in sorted(folder.glob("*.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines():
            try:
                yield json.loads(line)
            except ValueError:
                continue  # the last line of a process that was killed


def _classes(lines: Iterable[dict[str, Any]]) -> dict[str, dict[str, SeenClass]]:
    """The classes by file and name, with what all processes saw of their objects."""
    found: dict[str, dict[str, SeenClass]] = defaultdict(dict)
    for line in lines:
        seen = SeenClass(int(line["objects"]), int(line["sharing"]))
        before = found[line["file"]].get(line["class"])
        found[line["file"]][line["class"]] = seen if before is None else before.joined(seen)
    return found


def _places(lines: Iterable[dict[str, Any]]) -> dict[str, dict[int, SeenPlace]]:
    """The lines of what applies transforms, by file, with what was seen of them.

    A line with parts that run only sometimes has run when each of them has: facts name lines, and
    do not tell two transforms of one line from each other.
    """
    spans: dict[tuple[str, tuple[int, ...]], SeenPlace] = {}
    for line in lines:
        seen = SeenPlace(bool(line["ran"]), tuple(sorted(line.get("around", ()))))
        each = line["file"], tuple(map(int, line["span"]))
        spans[each] = seen.joined(spans[each]) if each in spans else seen
    found: dict[str, dict[int, SeenPlace]] = defaultdict(dict)
    for (file, (first, _, last, _)), seen in spans.items():
        for number in range(first, last + 1):
            before = found[file].get(number)
            found[file][number] = seen if before is None else before.also(seen)
    return found


def _gathered(lines: Iterable[dict[str, Any]]) -> dict[str, dict[str, SeenFunction]]:
    """The functions by file and path, with what all processes saw of them."""
    found: dict[str, dict[str, SeenFunction]] = defaultdict(dict)
    for line in lines:
        seen = seen_function({"calls": 0, "tests": (), "parameters": {}} | line)
        before = found[line["file"]].get(line["path"])
        found[line["file"]][line["path"]] = seen if before is None else before.joined(seen)
    return {
        name: {
            path: dataclasses.replace(seen, calls=max(seen.calls, 1))
            for path, seen in functions.items()
        }
        for name, functions in found.items()
    }
