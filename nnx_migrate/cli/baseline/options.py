"""How a project that has findings goes on with them. Importing this imports no engine."""

from __future__ import annotations

import dataclasses
from pathlib import Path


@dataclasses.dataclass(frozen=True, slots=True)
class BaselineOptions:
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
