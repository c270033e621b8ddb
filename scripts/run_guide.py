"""Runs one script the way `prove.py` wants it: seeded, with objects shown and kept by their values.

    python run_guide.py SCRIPT STATE

Guides draw from numpy's global generator without seeding it, so that is done here. `nnx.display`
draws the inside of an object (the order of attributes, the fields of a GraphDef), which is not the
same in graph and in tree mode; instead every array in it is printed with its path, sorted by path.
At the end the arrays of every Module, Optimizer, Metric, Rngs and array that the script holds in a
global name are written to STATE as JSON: not every script prints what it computed.
"""

from __future__ import annotations

import json
import runpy
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import numpy as np
from flax import nnx

KEPT = (nnx.Module, nnx.Optimizer, nnx.Metric, nnx.Rngs, jax.Array)


def values_in(item: Any) -> str:
    """Return path, type and value of every array in an object, a line each, sorted by path."""
    leaves, _ = jax.tree_util.tree_flatten_with_path(item)
    return "\n".join(
        sorted(f"{jax.tree_util.keystr(path)}: {_value(leaf)}" for path, leaf in leaves)
    )


def _value(leaf: Any) -> str:
    is_key = hasattr(leaf, "dtype") and jax.numpy.issubdtype(leaf.dtype, jax.dtypes.prng_key)
    value = np.asarray(jax.random.key_data(leaf) if is_key else leaf)
    return f"{value.dtype}{value.shape} {value.tolist()}"


def _display(*objects: Any) -> None:
    for item in objects:
        print(type(item).__name__, values_in(item), sep="\n")


class _NoVideos(types.ModuleType):
    """Stands in for mediapy, which needs a program that is not everywhere to show a video."""

    def __getattr__(self, name: str) -> Callable[..., None]:
        return lambda *args, **kwargs: None


def main() -> None:
    """Run the script and write what it leaves behind."""
    script, state = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    nnx.display = _display
    sys.modules["mediapy"] = _NoVideos("mediapy")
    np.random.seed(0)
    sys.argv = [str(script)]
    sys.path[0] = str(script.parent)
    left = runpy.run_path(str(script), run_name="__main__")
    kept = {name: values_in(item) for name, item in left.items() if isinstance(item, KEPT)}
    state.write_text(json.dumps(kept), encoding="utf-8")


if __name__ == "__main__":
    main()
