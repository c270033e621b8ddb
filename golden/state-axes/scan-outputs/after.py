import jax
import jax.numpy as jnp
from flax import nnx


class Layer(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.norm = nnx.BatchNorm(2, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x: jax.Array):
        return self.drop(self.norm(self.linear(x)))


@nnx.split_rngs(splits=3)
@nnx.vmap
def create(rngs: nnx.Rngs) -> Layer:
    return Layer(rngs)


def forward(layers: Layer, x: jax.Array):
    @nnx.scan(in_axes=(0, nnx.Carry), out_axes=(nnx.Carry, 0))
    def body(layer: Layer, x: jax.Array):
        y = layer(x)
        return y, y  # the carry, and every hidden state

    return body(layers, x)
