"""Layers with names for their axis, over whatever model the caller brings, and over a known one."""

import jax
import jax.numpy as jnp
from flax import nnx


@nnx.vmap(in_axes=(0, None), transform_metadata={nnx.PARTITION_NAME: "member"})
def ensemble(model, x):
    return model(x)


@nnx.scan(
    in_axes=(nnx.Carry, 0),
    out_axes=(nnx.Carry, 0),
    transform_metadata={nnx.PARTITION_NAME: "layers"},
)
def stack(x: jax.Array, layer: nnx.Module):
    return layer(x), None


class Block(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        kernel = rngs.params.normal((3, 3))
        self.kernel = nnx.Param(kernel, out_sharding=("in", "out"), eager_sharding=False)
        self.calls = nnx.BatchStat(jnp.zeros(3), out_sharding=("out",), eager_sharding=False)

    def __call__(self, x: jax.Array) -> jax.Array:
        assert self.kernel.out_sharding == ("in", "out"), self.kernel.out_sharding
        self.calls[...] += 1
        return jnp.tanh(x @ self.kernel[...])


@nnx.vmap(in_axes=(0, None), transform_metadata={nnx.PARTITION_NAME: "member"})
def blocks(block: Block, x: jax.Array):
    return block(x)
