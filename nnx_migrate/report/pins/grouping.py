"""Places that are kept in graph mode, in groups."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from nnx_migrate.core.pins import PinnedPlace


def grouped(
    places: Sequence[PinnedPlace], keys: Callable[[PinnedPlace], Sequence[str]]
) -> dict[str, list[PinnedPlace]]:
    """Places in groups, the biggest first."""
    found: dict[str, list[PinnedPlace]] = {}
    for place in places:
        found.setdefault(", ".join(keys(place)), []).append(place)
    return dict(sorted(found.items(), key=lambda item: (-len(item[1]), item[0])))
