"""What becomes of the Rngs that Modules keep and no method reads again."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from nnx_migrate.analysis.domain.values import Scope
from nnx_migrate.core.refusal import Refusal


@dataclasses.dataclass(frozen=True, slots=True)
class Drops:
    """What leaves its Modules, and what stays.

    Args:
        wanted: constructors, each with what it no longer stores; and what may read it, None
            where nothing does.
        stays: why classes keep theirs until that is allowed, by class.
        unread: constructors, and all that they store so.
    """

    wanted: Mapping[tuple[Scope, str], Refusal | None] = dataclasses.field(default_factory=dict)
    stays: Mapping[str, Refusal] = dataclasses.field(default_factory=dict)
    unread: frozenset[tuple[Scope, str]] = frozenset()
