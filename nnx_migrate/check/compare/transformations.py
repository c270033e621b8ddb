"""Gradient transformations of optax, of which code and what is bound to it do not say all."""

from __future__ import annotations

from nnx_migrate.check.compare.forms import Array, Leaf, Plain, View


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
