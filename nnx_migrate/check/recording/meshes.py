"""The meshes around a call, taken down and set again."""

from __future__ import annotations

import contextlib
import dataclasses
import math
import sys
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

#: Name, size and type of each axis.
Axes = tuple[tuple[str, int, str], ...]


@dataclasses.dataclass(frozen=True, slots=True)
class Meshes:
    """The meshes that are set somewhere.

    Args:
        current: the axes of the one of `jax.set_mesh`; none where none is set.
        entered: the axes of the one of `with mesh:`, which jax deprecates and keeps apart.
    """

    current: Axes = ()
    entered: Axes = ()


def meshes_around() -> Meshes:
    """The meshes that are set where this is called."""
    if "jax" not in sys.modules:
        return Meshes()
    import jax
    from jax._src import mesh

    # A jax that has no such thing any more has no `with mesh:` either.
    resources: Any = getattr(mesh, "thread_resources", None)
    entered = resources.env.physical_mesh if resources is not None else None
    return Meshes(axes_of(jax.sharding.get_abstract_mesh()), axes_of(entered))


def axes_of(mesh: Any) -> Axes:
    """The axes of a mesh.

    Args:
        mesh: of devices or of none; None has no axes.
    """
    if mesh is None or mesh.empty:
        return ()
    types = [kind.name for kind in mesh.axis_types]
    return tuple(zip(mesh.axis_names, mesh.axis_sizes, types, strict=True))


class MeshTooLarge(Exception):
    """A mesh that has more devices than there are here; the text says how to have more."""


@contextlib.contextmanager
def within_meshes(meshes: Meshes) -> Iterator[None]:
    """Sets meshes of the same axes, over the first devices that are here.

    Args:
        meshes: from `meshes_around`.

    Raises:
        MeshTooLarge: there are fewer devices than one needs.
    """
    with contextlib.ExitStack() as stack:
        if meshes.current:
            import jax

            stack.enter_context(jax.set_mesh(made_mesh(meshes.current)))
        if meshes.entered:
            with warnings.catch_warnings():
                # That it is deprecated was told where the user's own program did it.
                warnings.simplefilter("ignore", DeprecationWarning)
                stack.enter_context(made_mesh(meshes.entered))
        yield


def made_mesh(axes: Sequence[Sequence[Any]]) -> Any:
    """A mesh of these axes, over the first devices that are here.

    Args:
        axes: from `axes_of`.

    Raises:
        MeshTooLarge: there are fewer devices than it needs.
    """
    import jax

    names, sizes, types = zip(*axes, strict=True)
    needed = math.prod(sizes)
    if len(jax.devices()) < needed:
        raise MeshTooLarge(
            f"it ran on a mesh of {needed} devices, and this machine has {len(jax.devices())}; to "
            "simulate them on a CPU, set "
            f"XLA_FLAGS=--xla_force_host_platform_device_count={needed}"
        )
    return jax.make_mesh(
        sizes,
        names,
        axis_types=tuple(jax.sharding.AxisType[kind] for kind in types),
        devices=jax.devices()[:needed],
    )
