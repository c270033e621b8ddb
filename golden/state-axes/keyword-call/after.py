import jax
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 3, rngs=rngs)
        self.norm = nnx.BatchNorm(3, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x: jax.Array):
        return self.drop(self.norm(self.linear(x)))


@nnx.split_rngs(splits=3)
@nnx.vmap
def create(rngs: nnx.Rngs) -> Net:
    return Net(rngs)


@nnx.vmap(in_axes=(0, None, None))
def forward(model: Net, x: jax.Array, scale: float = 2.0):
    return scale * model(x)


def run(model: Net, x: jax.Array):
    by_keyword = forward(model, x, 3.0)
    by_default = forward(model, x, 2.0)
    return by_keyword, by_default
