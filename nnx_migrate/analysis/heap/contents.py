"""The leaves of an object."""

from __future__ import annotations

import dataclasses

from nnx_migrate.core.place import Place
from nnx_migrate.core.refusal import Cause


@dataclasses.dataclass(frozen=True, slots=True)
class Contents:
    """The leaves of an object.

    Args:
        variables: names of the Variable types among them; a subclass of Param counts as "Param".
        arrays: it may hold arrays outside of any Variable.
        unseen: why the list may not be complete; empty when it is.
        plain: where a list or dictionary in `nnx.data(...)` holds values that are not arrays, which
            are a part of the graphdef in graph mode and leaves in tree mode: the first place of
            each file.
    """

    variables: frozenset[str] = frozenset()
    arrays: bool = False
    unseen: tuple[str, ...] = ()
    plain: tuple[Place, ...] = ()

    def __or__(self, other: Contents) -> Contents:
        return Contents(
            self.variables | other.variables,
            self.arrays or other.arrays,
            tuple(sorted({*self.unseen, *other.unseen})),
            _first_of_each((*self.plain, *other.plain)) if other.plain else self.plain,
        )

    @property
    def only_params(self) -> bool:
        return self.variables == {"Param"} and not self.arrays and not self.unseen


def _first_of_each(places: tuple[Place, ...]) -> tuple[Place, ...]:
    """The first of some places in each file, in order."""
    return tuple({place.module: place for place in sorted(places, reverse=True)}.values())[::-1]


class Hides(Cause):
    """Why the leaves of an object are not all seen."""

    NOTHING_KNOWN = "nothing is known about it"
    OWN_CLASS = "it holds objects of its own class"
    NOT_IN_PROJECT = "{name} is not defined in the project"
    BASE_CLASS = "a base class of {name}"
    CLASS_UNKNOWN = "its class is unknown"
    COMPUTED_NAMES = "{name} sets attributes by computed names"
    STATE_KEPT = "a State is kept as an attribute"
    LINEN = "the code does not show what its Linen module makes"
    GIVEN_TO_LAYER = "what an nnx.{layer} was given"


def unseen(why: Hides, **names: str) -> Contents:
    """Leaves of which nothing is seen."""
    return Contents(unseen=(str(why.about(None, **names)),))
