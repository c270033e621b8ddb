"""Why something is not rewritten: a cause, what it is about, and where.

A family of rewrites lists its causes in one table, an `enum.Enum` that is a `Cause`; what a person
reads is made from that table, and nowhere else. Code that has to tell refusals apart compares
causes.
"""

from __future__ import annotations

import dataclasses
import enum
from typing import Self

from nnx_migrate.core.place import Location, Place


class Cause(enum.Enum):
    """What stands in the way; the value is how a person is told.

    Names in braces stand for what a refusal is about, `{place}` for where that is. Behind the words
    may stand what a person can do about it, which has the same names.
    """

    step: Cause | None

    def __new__(cls, words: str, step: Cause | None = None) -> Self:
        """A member of a table: its words are its value, by which it is unique."""
        member = object.__new__(cls)
        member._value_ = words
        member.step = step
        return member

    def __str__(self) -> str:
        """How a person is told of it, where it is about nothing in particular."""
        return str(Refusal(self))

    def about(self, place: Place | Location | None = None, **names: object) -> Refusal:
        """The refusal for this cause.

        Args:
            place: where it is.
            names: what it is about.
        """
        return Refusal(self, place, tuple((key, str(value)) for key, value in names.items()))


class Claim(Cause):
    """What was shown of a place, or is taken as true of it: the words of evidence, as of causes."""


@dataclasses.dataclass(frozen=True, slots=True)
class Refusal:
    """One refusal; as text, how a person is told of it.

    Args:
        cause: what stands in the way.
        place: where that is; None where the words name no place.
        names: what the cause is about, by the names in its words.
    """

    cause: Cause
    place: Place | Location | None = None
    names: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        words: str = self.cause.value
        return words.format(place=self.place, **dict(self.names))

    @property
    def step(self) -> str:
        """What a person can do about it; "" where the table has nothing."""
        step = self.cause.step
        return "" if step is None else str(dataclasses.replace(self, cause=step))


#: Why a place ends as it does; words alone come from plugins that have no table.
Reason = Cause | Refusal | str


def step_of(reason: Reason) -> str:
    """What a person can do about a reason; "" where no table has it."""
    match reason:
        case Refusal():
            return reason.step
        case Cause():
            return Refusal(reason).step
        case _:
            return ""
