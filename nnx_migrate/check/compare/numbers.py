"""Floats of any size beside each other."""

from __future__ import annotations

from typing import Any

import numpy as np


def is_float(data: np.ndarray[Any, Any]) -> bool:
    """Whether numbers are floats, of any size."""
    # The kind of the small floats of ml_dtypes (bfloat16, float8) is that of a record.
    return data.dtype.kind in "fc" or "float" in data.dtype.name


def wide(data: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Floats as those of the largest type."""
    return data.astype(np.complex128 if data.dtype.kind == "c" else np.float64)


def unequal(old: np.ndarray[Any, Any], new: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Where floats are not equal; NaN equals NaN."""
    left, right = wide(old), wide(new)
    found: np.ndarray[Any, Any] = (left != right) & ~(np.isnan(left) & np.isnan(right))
    return found


def ulps(old: np.ndarray[Any, Any], new: np.ndarray[Any, Any]) -> np.ndarray[Any, Any] | None:
    """Distances in units of the last place, for real floats of 2, 4 and 8 bytes."""
    if not is_float(old) or old.dtype.kind == "c" or old.dtype.itemsize not in (2, 4, 8):
        return None
    if np.isnan(wide(old)).any() or np.isnan(wide(new)).any():
        return None
    bits = old.dtype.itemsize * 8
    ordered = []
    for values in (old, new):
        signed = np.ascontiguousarray(values).view(f"i{bits // 8}").astype(object)
        # Negative floats count downwards from their sign bit.
        ordered.append(np.where(signed < 0, -(signed + (1 << (bits - 1))), signed))
    found: np.ndarray[Any, Any] = np.abs(ordered[0] - ordered[1])
    return found
