import jax
import jax.numpy as jnp
from flax import nnx


class Block(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        kernel = rngs.params.normal((3, 3))
        self.kernel = nnx.Param(kernel, out_sharding=("in", "out"), eager_sharding=False)

    def __call__(self, x: jax.Array) -> jax.Array:
        assert self.kernel.out_sharding == ("in", "out"), self.kernel.out_sharding
        return jnp.tanh(x @ self.kernel[...])


def checkpointed(module: nnx.Module, policy: str | None) -> nnx.Module:  # in truth a function
    if policy is None:
        return module
    return nnx.remat(module, policy=getattr(jax.checkpoint_policies, policy))


class Stack(nnx.Module):
    def __init__(self, policy: str | None, rngs: nnx.Rngs):
        @nnx.split_rngs(splits=2)
        @nnx.vmap(in_axes=0, out_axes=0)
        @nnx.transform_metadata(partition="layers")
        def create(rngs: nnx.Rngs) -> Block:
            return Block(rngs)

        self.blocks = create(rngs)
        self.policy = policy

    def __call__(self, x: jax.Array) -> jax.Array:
        def layer(x: jax.Array, block: Block):
            return block(x), None

        x, _ = nnx.scan(
            nnx.transform_metadata(
                checkpointed(layer, self.policy),
                in_axes=(nnx.Carry, 0),
                out_axes=(nnx.Carry, 0),
                partition="layers",
            ),
            in_axes=(nnx.Carry, 0),
            out_axes=(nnx.Carry, 0),
        )(x, self.blocks)
        return x


@nnx.jit
def forward(model: Stack, x: jax.Array) -> jax.Array:
    return model(x)
