"""Assumptions that a user may allow rewrites to rest on, each by its name.

Each is false for some programs; what happens to these is its consequence.
"""

from __future__ import annotations

import enum


class Permission(enum.StrEnum):
    """What may be assumed when it is asked for."""

    UNKNOWN_CLASS = "unknown-class"
    UNKNOWN_EFFECTS = "unknown-effects"
    UNKNOWN_PARTS = "unknown-parts"
    UNCHANGED_CAPTURES = "unchanged-captures"
    LIFT_RNGS = "lift-rngs"
    FORK_RNGS = "fork-rngs"

    @property
    def by_name_alone(self) -> bool:
        """Whether `--unsafe` leaves it out, because the results are others in every program."""
        return self is Permission.FORK_RNGS

    @property
    def assumed(self) -> str:
        """What is taken to be so."""
        return _ASSUMED[self]

    @property
    def consequence(self) -> str:
        """What happens where it is not so."""
        return _CONSEQUENCES[self]

    @property
    def told(self) -> str:
        """What follows, for the end of a message."""
        return f"; {self} is allowed: {self.consequence}"


_ASSUMED = {
    Permission.UNKNOWN_CLASS: "what is split is a Module, or another object of nnx",
    Permission.UNKNOWN_EFFECTS: "code that was not seen changes no structure of its Module",
    Permission.UNKNOWN_PARTS: "objects of which not all parts are seen share none",
    Permission.UNCHANGED_CAPTURES: "a captured object is the same at each call",
    Permission.LIFT_RNGS: (
        "the Rngs that parts of a Module share may lie at that Module alone, and nobody outside of"
        " the project makes or calls those parts"
    ),
    Permission.FORK_RNGS: "each Module may keep a fork of the Rngs that it is given",
}
_CONSEQUENCES = {
    Permission.UNKNOWN_CLASS: "the call raises where it gets anything else",
    Permission.UNKNOWN_EFFECTS: "attributes that such code sets, and what it sows, are lost",
    Permission.UNKNOWN_PARTS: "tree mode raises, or keeps one of two updates, where they do",
    Permission.UNCHANGED_CAPTURES: (
        "where it changes, the function sees that, and what was compiled did not"
    ),
    Permission.LIFT_RNGS: (
        "what finds the Rngs by its path in `nnx.state` (a checkpoint of it, a filter) does not"
        " find it there, and calls of such a part from outside raise for want of it"
    ),
    Permission.FORK_RNGS: (
        "initial values, dropout masks and other random numbers are not those that they were"
    ),
}
