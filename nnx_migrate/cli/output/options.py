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
class OutputOptions:
    """The options that say what is told, and how.

    Args:
        format: a form for people, or a format for programs.
        verbose: all places, with evidence.
        quiet: findings alone.
        statistics: counts by cause in the place of findings.
        colour: when to colour.
        file: where the report goes; None for a stream.
    """

    format: str = "full"
    verbose: bool = False
    quiet: bool = False
    statistics: bool = False
    colour: Colour = Colour.AUTO
    file: Path | None = None

    @property
    def for_people(self) -> bool:
        """Whether people read it."""
        return self.format not in MACHINE
