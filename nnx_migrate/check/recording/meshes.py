"""The mesh around a call (`jax.set_mesh`), taken down and set again."""

from __future__ import annotations

import contextlib
import math
import sys
from collections.abc import Iterator, Sequence
from typing import Any

#: Name, size and type of each axis.
Axes = tuple[tuple[str, int, str], ...]


def axes_around() -> Axes:
    """The axes of the mesh that is set where this is called; none where none is."""
    if "jax" not in sys.modules:
        return ()
    import jax

    mesh = jax.sharding.get_abstract_mesh()
    if mesh.empty:
        return ()
    types = [kind.name for kind in mesh.axis_types]
    return tuple(zip(mesh.axis_names, mesh.axis_sizes, types, strict=True))


class MeshTooLarge(Exception):
    """A mesh that has more devices than there are here; the text says how to have more."""


@contextlib.contextmanager
def mesh_of(axes: Sequence[Sequence[Any]]) -> Iterator[None]:
    """Sets a mesh of the same axes, over the first devices that are here.

    Args:
        axes: from `axes_around`.

    Raises:
        MeshTooLarge: there are fewer devices than it needs.
    """
    if not axes:
        yield
        return
    import jax

    names, sizes, types = zip(*axes, strict=True)
    needed = math.prod(sizes)
    if len(jax.devices()) < needed:
        raise MeshTooLarge(
            f"it ran under a mesh of {needed} devices and here are {len(jax.devices())}; "
            f"XLA_FLAGS=--xla_force_host_platform_device_count={needed} makes as many of a CPU"
        )
    mesh = jax.make_mesh(
        sizes,
        names,
        axis_types=tuple(jax.sharding.AxisType[kind] for kind in types),
        devices=jax.devices()[:needed],
    )
    with jax.set_mesh(mesh):
        yield
