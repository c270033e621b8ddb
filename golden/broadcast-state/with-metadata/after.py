import jax
import jax.numpy as jnp
from flax import nnx


class Noise(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.drop = nnx.Dropout(0.5, rngs=rngs)
        self.seen = nnx.Variable(jnp.array(0))

    def __call__(self, x: jax.Array):
        self.seen[...] += 1
        return self.drop(x)


def run(noise: Noise, kernels: nnx.Param, x: jax.Array):
    @nnx.compat.scan(
        in_axes=(None, 0, nnx.Carry),
        out_axes=nnx.Carry,
        transform_metadata={nnx.PARTITION_NAME: "layers"},
    )
    def body(noise: Noise, kernel, x):
        assert kernel.out_sharding == ("in", "out"), kernel.out_sharding
        return noise(x @ kernel[...])

    return body(noise, kernels, x)
