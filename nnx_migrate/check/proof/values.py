"""What is known of a value in a traced program: the hash of how it is computed, and which loops
it varies with."""

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


def digest(*parts: bytes) -> bytes:
    """The hash of a sequence of parts; where one part ends and the next begins counts."""
    state = hashlib.blake2b(digest_size=_BYTES)
    for part in parts:
        state.update(len(part).to_bytes(8, "little"))
        state.update(part)
    return state.digest()


def combine(key: bytes, names: Iterable[bytes]) -> bytes:
    """`digest` of a hash and other hashes; all are of one length, so nothing has to say where
    they end."""
    return hashlib.blake2b(key + b"".join(names), digest_size=_BYTES).digest()


def number(value: int) -> bytes:
    return str(value).encode()
