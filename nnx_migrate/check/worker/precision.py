"""Computing in float64 what asks for float32: what is left of a difference is no rounding."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any
from unittest import mock

import numpy as np


@contextlib.contextmanager
def float32_made_wide() -> Iterator[None]:
    """Within it, jax converts to float64 where a program asks for float32.

    A cast in the middle of a program would bring the rounding back. Where this jax converts in
    another way, casts stay what they are.
    """
    from jax._src.lax import lax

    plain: Any = getattr(lax, "_convert_element_type", None)
    if plain is None:
        yield
        return

    def wide(operand: Any, new_dtype: Any = None, *args: Any, **kwargs: Any) -> Any:
        if new_dtype is not None and new_dtype == np.float32:
            new_dtype = np.dtype(np.float64)
        return plain(operand, new_dtype, *args, **kwargs)

    with mock.patch.object(lax, "_convert_element_type", wide):
        yield
