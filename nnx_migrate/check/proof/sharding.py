"""The names of what `shard_map` computes: its body, on the shards of its operands.

Inside, a name stands for a value on each device. Nothing leaves without the mesh and a
specification in its name, so that such names and those of whole arrays are never taken for each
other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax
from jax.extend import core

from nnx_migrate.check.proof.encoding import encode, no_function
from nnx_migrate.check.proof.values import Refusal, Value, digest

if TYPE_CHECKING:
    from nnx_migrate.check.proof.evaluation import Evaluation, Values


def shard_map(
    evaluation: Evaluation, equation: core.JaxprEqn, operands: Values, wanted: int
) -> Values:
    params = equation.params
    axes = encode(params["newly_manual_axes"], no_function)
    checked = encode(params["check_vma"], no_function)
    where = digest(_mesh(params["mesh"]), axes, checked)
    shards: Values = []
    wholes: dict[tuple[bytes, bytes], Value] = {}  # of a shard, by its specification
    for value, spec in zip(operands, params["in_specs"], strict=True):
        if value is None:
            shards.append(None)
            continue
        parts = _specification(spec)
        name = digest(b"shard", where, parts, value.name)
        shards.append(value._replace(name=name))
        wholes[name, parts] = value
    results = evaluation.run(params["jaxpr"], shards, wanted)
    outputs: Values = []
    for value, spec in zip(results, params["out_specs"], strict=True):
        if value is None:
            outputs.append(None)
            continue
        parts = _specification(spec)
        whole = value._replace(name=digest(b"whole", where, parts, value.name))
        outputs.append(wholes.get((value.name, parts), whole))
    return outputs


def _mesh(mesh: Any) -> bytes:
    """Names, sizes and types of the axes. Which devices they are is placement."""
    axes = zip(mesh.axis_names, mesh.axis_sizes, mesh.axis_types, strict=True)
    return encode(tuple(axes), no_function)


def _specification(spec: Any) -> bytes:
    if not isinstance(spec, jax.sharding.PartitionSpec) or spec.unreduced or spec.reduced:
        raise Refusal(f"shard_map with the specification {spec}")
    return encode(tuple(spec), no_function)
