"""Where arrays lie, when there are several devices."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Iterator, Mapping
from typing import Any

import jax
from jax.extend import core

from nnx_migrate.check.compare.forms import Array, View


def placement_of(array: jax.Array) -> str:
    """Which part of an array each device holds, whatever kind of sharding says so.

    Args:
        array: any; of one that is traced nothing is known.

    Returns:
        "" for one device.
    """
    if isinstance(array, jax.core.Tracer) or len(array.sharding.device_set) == 1:
        return ""
    held: Mapping[Any, object] = array.sharding.devices_indices_map(array.shape)
    parts = [str(held[device]) for device in sorted(held, key=lambda each: int(each.id))]
    shard = list(array.sharding.shard_shape(array.shape))
    order = hashlib.sha256("\n".join(parts).encode()).hexdigest()[:8]
    return f"in shards of {shard} on {len(parts)} devices ({order})"


def unplaced(view: View) -> View:
    """A view without where its arrays lie.

    Args:
        view: of what a compiler has placed, or of another run with other devices.
    """
    form = {
        path: dataclasses.replace(leaf, placement="") if isinstance(leaf, Array) else leaf
        for path, leaf in view.form.items()
    }
    return View(form, view.shared)


def placements_in(program: core.Jaxpr) -> tuple[str, ...]:
    """The shardings over several devices that a program asks for, sorted.

    Args:
        program: with all that it calls.
    """
    return tuple(sorted(_asked_for(program)))


def _asked_for(program: core.Jaxpr) -> Iterator[str]:
    for equation in program.eqns:
        for name, value in equation.params.items():
            for each in jax.tree.leaves(value, is_leaf=_is_one):
                if isinstance(each, core.ClosedJaxpr):
                    yield from _asked_for(each.jaxpr)
                elif isinstance(each, core.Jaxpr):
                    yield from _asked_for(each)
                elif isinstance(each, jax.sharding.NamedSharding) and each.mesh.size > 1:
                    yield f"{name.removesuffix('s')} {dict(each.mesh.shape)} {_trimmed(each.spec)}"


def _is_one(value: Any) -> bool:
    return isinstance(value, (core.ClosedJaxpr, core.Jaxpr, jax.sharding.Sharding))


def _trimmed(spec: jax.sharding.PartitionSpec) -> tuple[Any, ...]:
    """A specification without what it says of axes that are not split."""
    parts = list(spec)
    while parts and parts[-1] is None:
        parts.pop()
    return tuple(parts)
