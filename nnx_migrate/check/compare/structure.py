"""Differences that callers are written for: of the tree that a call gives, not of its numbers."""

from __future__ import annotations

import numpy as np

from nnx_migrate.check.compare.forms import Array, Leaf, Plain, View
from nnx_migrate.check.compare.numbers import is_float, wide

_CONTAINERS = frozenset({"mapping", "module", "object", "sequence", "state"})
_RELATIVE, _ABSOLUTE = 1e-5, 1e-6


def is_structural(path: str, old: Leaf | None, new: Leaf | None) -> bool:
    """Whether a leaf that differs is of the tree, or a static value that is left in an argument.

    Args:
        path: of the leaf.
        old: what the reference has there; None for nothing.
        new: what the other has; likewise.
    """
    given = path.startswith(("arguments/", "keywords/"))
    if is_of_the_tree(old, new):
        return True
    kinds = [each.kind for each in (old, new) if isinstance(each, Plain)]
    return given and kinds == ["plain", "plain"]


def is_of_the_tree(old: Leaf | None, new: Leaf | None) -> bool:
    """Whether two leaves that differ make it another tree.

    Args:
        old: of the reference; None for nothing.
        new: of the other; likewise.
    """
    if not isinstance(old, Plain) or not isinstance(new, Plain):
        return True
    return bool({old.kind, new.kind} & _CONTAINERS)


def has_all_numbers(old: View, new: View) -> bool:
    """Whether every array of one view is in another one, wherever it is there.

    Args:
        old: whose arrays are looked for.
        new: where.
    """
    arrays = [each for each in new.form.values() if isinstance(each, Array)]
    return all(
        any(_is_alike(leaf, each) for each in arrays)
        for leaf in old.form.values()
        if isinstance(leaf, Array)
    )


def _is_alike(one: Array, two: Array) -> bool:
    if (one.kind, one.dtype, one.shape) != (two.kind, two.dtype, two.shape):
        return False
    if one.data is None or two.data is None:
        return False
    if one.data.tobytes() == two.data.tobytes() or not is_float(one.data):
        return one.data.tobytes() == two.data.tobytes()
    left, right = wide(one.data), wide(two.data)
    return bool(np.allclose(left, right, rtol=_RELATIVE, atol=_ABSOLUTE, equal_nan=True))
