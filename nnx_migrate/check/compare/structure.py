"""Differences that decide nothing alone: callers are written for them, or steps are the same.

Callers are written for the tree that a call gives, whatever its numbers are. Of a gradient
transformation of optax, code and what is bound to it do not say all.
"""

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


def undecided(path: str, old: View, new: View) -> str | None:
    """The transformation that a leaf is part of, where its difference does not decide.

    Another number in the same place is another step. Other code may make the same one.

    Args:
        path: of a leaf that differs.
        old: the reference.
        new: what is compared with it.

    Returns:
        The path of the outermost one of both sides; None where there is none, or it is another.
    """
    if all(_is_value(view.form.get(path)) for view in (old, new)):
        return None
    parts = path.split("/")
    above = ("/".join(parts[:length]) for length in range(1, len(parts) + 1))
    return next((each for each in above if _is_one(old, each) and _is_one(new, each)), None)


def _is_one(view: View, path: str) -> bool:
    leaf = view.form.get(path)
    return isinstance(leaf, Plain) and leaf.kind == "transformation"


def _is_value(leaf: Leaf | None) -> bool:
    return isinstance(leaf, Array) or (leaf is not None and leaf.kind == "plain")
