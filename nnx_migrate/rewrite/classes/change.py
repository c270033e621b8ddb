"""One change of a class definition."""

from __future__ import annotations

import dataclasses

from nnx_migrate.core.findings import Finding
from nnx_migrate.rewrite.text.edits import Edit

#: The rule that finds what keeps an object from being a tree.
RULE_NAME = "shared-reference"


@dataclasses.dataclass(frozen=True, slots=True)
class ClassChange:
    """Edits that go together, and what they are made for.

    Args:
        first: the line at which a comment silences it.
        last: the last such line.
    """

    first: int
    last: int
    edits: tuple[Edit, ...]
    finding: Finding
