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
    KEPT_VARIABLES = "kept-variables"
    UNREAD_SHARDINGS = "unread-shardings"
    DROP_RNGS = "drop-rngs"
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
    Permission.UNKNOWN_CLASS: "the split argument is a Module, or another object of nnx",
    Permission.UNKNOWN_EFFECTS: "code out of sight does not change the structure of its Module",
    Permission.UNKNOWN_PARTS: "objects with parts out of sight share none of them",
    Permission.UNCHANGED_CAPTURES: "a captured object is the same at each call",
    Permission.KEPT_VARIABLES: (
        "no State or second object that has a Variable which a method replaces is read afterwards"
    ),
    Permission.UNREAD_SHARDINGS: "no code reads the shardings of an abstract model",
    Permission.DROP_RNGS: "no other code reads the Rngs of a Module whose methods do not read it",
    Permission.LIFT_RNGS: (
        "only the Module keeps the Rngs that its parts share, and no code outside of the project "
        "makes or calls those parts"
    ),
    Permission.FORK_RNGS: "each Module may keep its own fork of the Rngs that it gets",
}
_CONSEQUENCES = {
    Permission.UNKNOWN_CLASS: "the call raises if it gets anything else",
    Permission.UNKNOWN_EFFECTS: "attributes that such code sets, and values that it sows, are lost",
    Permission.UNKNOWN_PARTS: "if they do, tree mode raises, or keeps only one of two updates",
    Permission.UNCHANGED_CAPTURES: (
        "if it changes, the function now sees the change, which compiled code did not"
    ),
    Permission.KEPT_VARIABLES: "it has the new value, and not the one before",
    Permission.UNREAD_SHARDINGS: (
        "they are None, and code that restores or places arrays by them puts these elsewhere"
    ),
    Permission.DROP_RNGS: (
        "code that reads the attribute raises, and a checkpoint or a filter that looks for the "
        "Rngs at its path in `nnx.state` does not find it"
    ),
    Permission.LIFT_RNGS: (
        "a checkpoint or a filter that looks for the Rngs at its old path in `nnx.state` does "
        "not find it, and calls of such a part from outside raise"
    ),
    Permission.FORK_RNGS: ("initial values, dropout masks, and other random numbers change"),
}
