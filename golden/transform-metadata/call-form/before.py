import jax
import jax.numpy as jnp
from flax import nnx


class Block(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.kernel = nnx.Param(
            jax.random.normal(rngs.params(), (2, 2)), out_sharding=("in", "out"), eager_sharding=False
        )
        self.drop = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x: jax.Array):
        return self.drop(x @ self.kernel[...])


def create(n: int, rngs: nnx.Rngs) -> Block:
    build = nnx.vmap(Block, in_axes=0, out_axes=0, transform_metadata={nnx.PARTITION_NAME: "layers"})
    return build(rngs.fork(split=n))


def create_lambda(n: int, rngs: nnx.Rngs) -> Block:
    return nnx.split_rngs(splits=n)(
        nnx.vmap(
            lambda rngs: Block(rngs),
            transform_metadata={nnx.PARTITION_NAME: "layers"},
        )
    )(rngs)
