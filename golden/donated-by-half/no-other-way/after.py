import jax
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.frozen = nnx.Linear(2, 3, rngs=rngs)


@nnx.jit(donate_argnames=("model",))
def by_keyword(x: jax.Array, *, model: Net):
    return model.frozen(x)


@nnx.jit(donate_argnums=(-1,))
def by_place(x: jax.Array, model: Net):
    return model.frozen(x)


def run(model: Net, x: jax.Array):
    return [by_keyword(x, model=model), by_place(x, model), by_place(x, model)]
