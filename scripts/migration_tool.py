"""Runs the installed `nnx-migrate`, as a user does, and reads what it reports."""

from __future__ import annotations

import dataclasses
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from nnx_migrate.engine.cache.user_cache import CACHE_VARIABLE


class ToolFailed(Exception):
    """`nnx-migrate` crashed, or said something that cannot be."""


@dataclasses.dataclass(frozen=True, slots=True)
class Tool:
    """The command to run.

    Args:
        command: the program and what always comes before the subcommand.
        environment: variables of its process, beside those of this one.
    """

    command: tuple[str, ...]
    environment: Mapping[str, str] = dataclasses.field(default_factory=dict)

    def keeping(self, folder: Path) -> Tool:
        """The same tool, which keeps in a folder what it finds out, and looks there first."""
        return dataclasses.replace(
            self, environment={**self.environment, CACHE_VARIABLE: str(folder)}
        )

    def patch(self, root: Path, paths: Sequence[str]) -> bytes:
        """Return what `apply --diff` prints; nothing is written.

        Raises:
            ToolFailed: it crashed.
        """
        return self._apply(root, ["--diff", *paths])

    def apply(self, root: Path, paths: Sequence[str]) -> dict[str, Any]:
        """Write the migration into the folder and return the JSON report.

        Raises:
            ToolFailed: it crashed, or the report is not JSON.
        """
        return self._report(root, paths)

    def check(self, root: Path, paths: Sequence[str]) -> dict[str, Any]:
        """Return the JSON report of `apply --check`; nothing is written.

        Raises:
            ToolFailed: it crashed, or the report is not JSON.
        """
        return self._report(root, ["--check", *paths])

    def _report(self, root: Path, arguments: Sequence[str]) -> dict[str, Any]:
        output = self._apply(root, ["--format", "json", *arguments])
        try:
            report: dict[str, Any] = json.loads(output)
        except json.JSONDecodeError as error:
            raise ToolFailed(f"its report is not JSON: {error}") from error
        return report

    def _apply(self, root: Path, arguments: Sequence[str]) -> bytes:
        done = subprocess.run(
            [*self.command, "apply", "--no-journal", *arguments],
            cwd=root,
            capture_output=True,
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **self.environment},
        )
        errors = done.stderr.decode(errors="replace")
        if done.returncode not in (0, 1) or "Traceback (most recent call last)" in errors:
            tail = "\n".join(errors.strip().splitlines()[-6:])
            raise ToolFailed(f"apply ended with {done.returncode} in {root}:\n{tail}")
        return done.stdout


def installed_tool() -> Tool:
    """Return the `nnx-migrate` beside the running interpreter, else the one on PATH.

    Raises:
        ToolFailed: it is not installed.
    """
    beside = Path(sys.executable).parent
    found = shutil.which("nnx-migrate", path=str(beside)) or shutil.which("nnx-migrate")
    if found is None:
        raise ToolFailed("nnx-migrate is not installed: pip install .")
    return Tool((found,))
