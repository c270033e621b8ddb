"""Verdicts of earlier checks, for cases of which nothing has changed since."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import platform
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

import nnx_migrate
from nnx_migrate.check.bases import Bases
from nnx_migrate.check.branches.sites import Taken
from nnx_migrate.check.compare.comparison import Difference
from nnx_migrate.check.compare.verdicts import CaseResult, ColumnResult, Verdict
from nnx_migrate.check.jobs import Job, Side
from nnx_migrate.check.recording.store import call_digest
from nnx_migrate.sources.own_folder import OwnFolder

_VERSIONED = ("flax", "jax", "jaxlib", "numpy", "optax")


@dataclasses.dataclass(frozen=True, slots=True)
class Cache:
    """A folder of verdicts, a file for each case.

    Args:
        folder: it is made when the first verdict is kept.
        sides: the trees of this check.
        circumstances: all else that a verdict depends on, as text.
        bases: the copies that cases ran in.
    """

    folder: Path
    sides: tuple[Side, Side]
    circumstances: str
    bases: Bases

    def find(self, job: Job) -> CaseResult | None:
        """The verdict of an earlier check.

        Args:
            job: the case.

        Returns:
            None when there is none, or a file behind it has changed.
        """
        try:
            stored = json.loads(self._file(job).read_text(encoding="utf-8"))
            unchanged = all(
                self._digest_in(side, name) == digest
                for side in self.sides
                for name, digest in stored["read"][side.name].items()
            )
            return _result(job, stored) if unchanged else None
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def keep(self, job: Job, result: CaseResult) -> None:
        """Keeps a verdict.

        One that depends on the moment (a time limit, a crash) is not kept, and none of a side of
        which no file is known: nothing would ever change it.

        Args:
            job: the case.
            result: what became of it.
        """
        known = all(result.files.get(side.name) for side in self.sides)
        if result.cached or result.verdict is Verdict.NOT_CHECKED or not known:
            return
        read = {
            side.name: {
                name: self._digest_in(side, name)
                for name in {
                    *result.files[side.name],
                    *map(self.bases.of_the_user, result.read.get(side.name, ())),
                }
            }
            for side in self.sides
        }
        stored = {
            "files": result.files,
            "read": read,
            "seconds": result.seconds,
            "columns": result.columns,
            "lines": result.lines,
            "ways": result.ways,
        }
        text = json.dumps(stored, default=dataclasses.asdict)
        with OwnFolder(self.folder) as own:
            own.put(self._file(job).name, text.encode())

    def _digest_in(self, side: Side, name: str) -> str:
        """Of a file that is relative to a side, or lies elsewhere and has its whole path."""
        # A single program is its own root, and its file is "." to it.
        file = side.root if name == "." else side.top / name
        # What the command wrote is in the copies alone.
        return _digest(file if file.is_file() else self.bases.written.get(name, file))

    def _file(self, job: Job) -> Path:
        key = f"{self.circumstances}\n{job.name}\n{job.kind}\n{_inputs_digest(job)}"
        return self.folder / f"{hashlib.sha256(key.encode()).hexdigest()[:32]}.json"


def circumstances(more: Mapping[str, object]) -> str:
    """What verdicts depend on beside the user's files.

    Args:
        more: options of the check, by name.
    """
    versions = {"nnx-migrate": nnx_migrate.__version__, "python": platform.python_version()}
    for name in _VERSIONED:
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            versions[name] = ""
    return json.dumps({**versions, **more}, sort_keys=True, default=str)


def _inputs_digest(job: Job) -> str:
    if job.kind == "recorded":
        return call_digest(job.file, int(job.entry))
    return f"{job.entry}\n{_digest(job.file)}"


def _digest(file: Path) -> str:
    if not file.is_file():
        return ""
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def _result(job: Job, stored: Mapping[str, Any]) -> CaseResult:
    columns = {}
    for name, values in stored["columns"].items():
        difference = values["difference"]
        columns[name] = ColumnResult(
            **{
                **values,
                "verdict": Verdict(values["verdict"]),
                "difference": difference and Difference(**difference),
                "notes": tuple(values["notes"]),
            }
        )
    files = {name: tuple(found) for name, found in stored["files"].items()}
    lines = {
        side: {path: tuple(ran) for path, ran in paths.items()}
        for side, paths in stored["lines"].items()
    }
    ways = {
        side: tuple(Taken(**{**each, "ways": tuple(each["ways"])}) for each in found)
        for side, found in stored["ways"].items()
    }
    return CaseResult(
        job.name, columns, stored["seconds"], files, cached=True, lines=lines, ways=ways
    )
