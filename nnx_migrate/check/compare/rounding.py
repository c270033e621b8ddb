"""Whether numbers that differ by more than their tolerance are rounding all the same."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from nnx_migrate.check.compare.comparison import WIDE, Tolerance, compare, number_of
from nnx_migrate.check.compare.forms import Leaf, Observation, Plain
from nnx_migrate.check.compare.numbers import is_float, wide

_ANY: Mapping[str, Tolerance] = MappingProxyType(
    dict.fromkeys(("float32", "complex64", "float"), Tolerance(np.inf, np.inf))
)
# The new side may be so many times further from float64 than the old one.
_MORE_ERROR = 16.0
_UNIT = 1e-6


def round_alike(
    old: Observation, new: Observation, old_wide: Observation, new_wide: Observation
) -> bool:
    """Whether two runs in float32 are about as far from what both sides give in float64.

    Args:
        old: the reference, in float32.
        new: what is compared with it.
        old_wide: the reference in float64.
        new_wide: the other.
    """
    if compare(old_wide, new_wide, WIDE).different is not None or old_wide.view is None:
        return False
    if compare(old, new, _ANY).different is not None or old.view is None or new.view is None:
        return False
    for path, leaf in old.view.form.items():
        left, right = _floats_of(leaf), _floats_of(new.view.form.get(path))
        if left is None or right is None:
            continue
        true = _floats_of(old_wide.view.form.get(path))
        if true is None or true.shape != left.shape or right.shape != left.shape:
            return False
        if not _as_far(left, right, true):
            return False
    return True


def _as_far(
    old: np.ndarray[Any, Any], new: np.ndarray[Any, Any], true: np.ndarray[Any, Any]
) -> bool:
    if not (np.isfinite(old).all() and np.isfinite(new).all() and np.isfinite(true).all()):
        # What is not finite has to be the same in all of them.
        return bool(np.array_equal(old, new, equal_nan=True))
    errors = [float(np.max(np.abs(each - true), initial=0.0)) for each in (old, new)]
    scale = max(1.0, float(np.max(np.abs(true), initial=0.0)))
    return errors[1] <= _MORE_ERROR * errors[0] + _UNIT * scale


def _floats_of(leaf: Leaf | None) -> np.ndarray[Any, Any] | None:
    number = number_of(leaf) if isinstance(leaf, Plain) else leaf
    if number is None or number.data is None or not is_float(number.data):
        return None
    return wide(number.data)
