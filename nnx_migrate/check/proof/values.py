"""What is known of a value: the hash of how it is computed, and which loops it varies with."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import NamedTuple

_BYTES = 16


class Refusal(Exception):
    """Raised inside this package where a program is not spoken for; the message says why."""


class Value(NamedTuple):
    """A value, named by its computation.

    Attributes:
        name: the hash; values of equal name are equal.
        carries: a bit for every loop carry, of the loops that are open, that it depends on.
        levels: a bit for every level of open loops with which it changes from step to step.
    """

    name: bytes
    carries: int = 0
    levels: int = 0


def joined(*parts: bytes) -> bytes:
    """Parts in a row, so that where one ends and the next begins can be told."""
    return b"".join([b"%d:%b" % (len(part), part) for part in parts])


def digest(*parts: bytes) -> bytes:
    """The hash of a sequence of parts."""
    return hashlib.blake2b(joined(*parts), digest_size=_BYTES).digest()


def combine(key: bytes, names: Iterable[bytes]) -> bytes:
    """The hash of hashes: all are of one length, so nothing has to say where they end."""
    return hashlib.blake2b(key + b"".join(names), digest_size=_BYTES).digest()


def number(value: int) -> bytes:
    return b"%d" % value
