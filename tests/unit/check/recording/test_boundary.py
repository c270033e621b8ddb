"""What a boundary is put around looks the same with it and without it."""

from __future__ import annotations

from functools import partial

import pytest

pytest.importorskip("jax")
from nnx_migrate.check.compare.callables import opened_callable
from nnx_migrate.check.recording.boundary import boundary, unwatched


def half(x: float) -> float:
    return x / 2


def test_a_watched_function_is_compared_as_the_function_that_it_is() -> None:
    watched = boundary("a.py", "half")(half)
    assert watched is not half
    assert unwatched(watched) is half
    assert opened_callable(watched) == opened_callable(half)
    bound = partial(half, 1.0)
    assert unwatched(boundary("a.py", "bound")(bound)) is bound
    assert unwatched(half) is half
    assert unwatched(3) == 3
