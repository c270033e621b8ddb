"""What a run tells, and how. Importing this imports no part of the engine."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Literal

from nnx_migrate.report.terminal import Colour

ForPeople = Literal["full", "concise", "grouped", "text"]
#: What programs read.
MACHINE = ("json", "jsonl", "sarif", "github", "gitlab", "markdown")


@dataclasses.dataclass(frozen=True, slots=True)
class Shape:
    """The options that say what is told, and how.

    Args:
        output: a form for people, or a format for programs.
        verbose: all places, with evidence.
        quiet: findings alone.
        statistics: counts by cause in the place of findings.
        colour: when to colour.
        file: where the report goes; None for a stream.
    """

    output: str = "full"
    verbose: bool = False
    quiet: bool = False
    statistics: bool = False
    colour: Colour = Colour.AUTO
    file: Path | None = None

    @property
    def for_people(self) -> bool:
        """Whether people read it."""
        return self.output not in MACHINE


@dataclasses.dataclass(frozen=True, slots=True)
class Adoption:
    """How a project that has findings goes on with them.

    Args:
        baseline: a file with the findings that are known.
        write_baseline: where to write one.
        diff_base: a commit; only lines that changed since count.
        add_ignores: write comments instead of new code.
    """

    baseline: Path | None = None
    write_baseline: Path | None = None
    diff_base: str | None = None
    add_ignores: bool = False

    @property
    def narrows(self) -> bool:
        """Whether only some of the findings count."""
        return self.baseline is not None or self.diff_base is not None

    @property
    def writes_only(self) -> bool:
        """Whether the run writes a baseline, or comments, and no new code."""
        return self.write_baseline is not None or self.add_ignores

    @property
    def changes_the_run(self) -> bool:
        """Whether any of it was asked for."""
        return self.narrows or self.writes_only
