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
    build = nnx.vmap(nnx.transform_metadata(Block, partition="layers"), in_axes=0, out_axes=0)
    return build(rngs.fork(split=n))


def create_lambda(n: int, rngs: nnx.Rngs) -> Block:
    return nnx.split_rngs(splits=n)(
        nnx.vmap(
            nnx.transform_metadata(lambda rngs: Block(rngs), partition="layers"),
        )
    )(rngs)
