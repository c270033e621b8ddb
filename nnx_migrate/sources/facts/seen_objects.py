"""What runs have shown of the objects that a function was given: a part of the file of facts.

"objects": {
  "model": {"looks": 3, "changes": [".last made"], "returned": 0, "shared": 0, "beside": []}
}
"""

from __future__ import annotations

import dataclasses
from typing import Any

#: Stands for changes of what could not be looked through.
UNKNOWN = "?"


@dataclasses.dataclass(frozen=True, slots=True)
class SeenObject:
    """What was seen of what a parameter got.

    Args:
        looks: how many calls it was looked at in, when they began and when they ended.
        changes: what they did to it: `.norm.mean replaced`.
        returned: in how many of them it came out again, or a part of it did.
        shared: in how many of them it held something in two places.
        plain: in how many of them there were leaves that are no arrays.
        split: in how many of them streams of an Rngs in it were split.
        beside: other parameters that held a part of it.
    """

    looks: int
    changes: tuple[str, ...] = ()
    returned: int = 0
    shared: int = 0
    plain: int = 0
    split: int = 0
    beside: tuple[str, ...] = ()

    def joined(self, other: SeenObject) -> SeenObject:
        """What two runs have shown together."""
        return SeenObject(
            self.looks + other.looks,
            tuple(sorted({*self.changes, *other.changes})),
            self.returned + other.returned,
            self.shared + other.shared,
            self.plain + other.plain,
            self.split + other.split,
            tuple(sorted({*self.beside, *other.beside})),
        )

    def more_in(self, other: SeenObject) -> SeenObject | None:
        """What another look at the same call has shown beyond this one; None for nothing.

        Args:
            other: of the same parameter.
        """
        more = SeenObject(
            0,
            tuple(each for each in other.changes if each not in self.changes),
            int(other.returned > self.returned),
            int(other.shared > self.shared),
            int(other.plain > self.plain),
            int(other.split > self.split),
            tuple(each for each in other.beside if each not in self.beside),
        )
        return more if more != SeenObject(0) else None

    def as_json(self) -> dict[str, Any]:
        """As the file of facts holds it."""
        return dataclasses.asdict(self)


def seen_object(data: Any) -> SeenObject:
    """Read what `as_json` gave.

    Raises:
        KeyError: there is something missing.
        TypeError: it is something else.
        ValueError: a number is none.
    """
    return SeenObject(
        int(data["looks"]),
        tuple(map(str, data["changes"])),
        int(data["returned"]),
        int(data["shared"]),
        int(data["plain"]),
        int(data["split"]),
        tuple(map(str, data["beside"])),
    )
