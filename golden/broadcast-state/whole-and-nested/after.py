import jax
import jax.numpy as jnp
from flax import nnx


class Noisy(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x: jax.Array):
        return self.drop(self.linear(x))

    @nnx.scan(in_axes=(None, nnx.Carry), out_axes=nnx.Carry, length=3)
    def iterate(self, x: jax.Array):
        self = nnx.clone(self)  # each iteration updates its own copy
        return self(x)


@nnx.scan(in_axes=None, out_axes=0, length=4)
def samples(model: Noisy, x: jax.Array):
    model = nnx.clone(model)  # each iteration updates its own copy
    return model(x)


def pairs(model: Noisy, xs):
    def body(pair: tuple[Noisy, jax.Array]):
        pair = nnx.clone(pair)  # each iteration updates its own copy
        model, x = pair
        return model(x)

    return nnx.scan(body, in_axes=((None, 0),), out_axes=0)((model, xs))
