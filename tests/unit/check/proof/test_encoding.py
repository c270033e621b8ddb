"""Parameters that mean different things have different bytes."""

from __future__ import annotations

import enum
import itertools
from typing import Any, NamedTuple

import numpy as np
import pytest

jax = pytest.importorskip("jax")

from nnx_migrate.check.proof.encoding import encode
from nnx_migrate.check.proof.values import Refusal

pytestmark = pytest.mark.runs_jax


class Mode(enum.Enum):
    CLIP = 1
    FILL = 2


class Mode2(enum.Enum):
    CLIP = 1


class Dimensions(NamedTuple):
    left: tuple[int, ...]
    right: tuple[int, ...]


def bytes_of(value: Any) -> bytes:
    def function(_: Any) -> bytes:
        raise AssertionError("there is none")

    return encode(value, function)


DIFFERENT = [
    None,
    "None",
    0,
    0.0,
    -0.0,
    False,
    1,
    1.0,
    True,
    "1",
    b"1",
    (),
    ((),),
    (1,),
    (1, 2),
    ((1,), 2),
    ((1, 2),),
    (12,),
    ("1", "2"),
    ("12",),
    {"a": 1},
    {"a": 2},
    {"b": 1},
    frozenset({1}),
    Mode.CLIP,
    Mode.FILL,
    Mode2.CLIP,
    Dimensions((1,), ()),
    Dimensions((), (1,)),
    ((1,), ()),
    np.dtype("float32"),
    np.dtype("float64"),
    np.float32,
    np.float32(1),
    np.ones(3, np.float32),
    np.ones(3, np.int32),
    np.ones((3, 1), np.float32),
    np.zeros(3, np.float32),
    jax.random.key(0).dtype,
    jax.random.key(0, impl="rbg").dtype,
    jax.random.key(0),
    jax.random.key(1),
]


def test_different_parameters_differ() -> None:
    for one, other in itertools.combinations(DIFFERENT, 2):
        assert bytes_of(one) != bytes_of(other), (one, other)


def test_equal_parameters_are_equal() -> None:
    assert bytes_of((1, [2, 3])) == bytes_of([1, (2, 3)])
    assert bytes_of({"a": 1, "b": 2}) == bytes_of({"b": 2, "a": 1})
    assert bytes_of(np.ones(3)) == bytes_of(np.full(3, 1.0))
    assert bytes_of(float("nan")) == bytes_of(float("nan"))


@pytest.mark.parametrize(
    "value", [object(), len, lambda: 0, (1, object()), {"a": len}, np.array([object()])]
)
def test_what_is_not_known_is_refused(value: Any) -> None:
    with pytest.raises(Refusal):
        bytes_of(value)
