import jax
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 3, rngs=rngs)
        self.norm = nnx.BatchNorm(3, rngs=rngs)

    def __call__(self, x: jax.Array):
        return self.norm(self.linear(x))


@nnx.compat.jit
def step(model: Net, x: jax.Array):
    y = model(x)
    stats = nnx.state(model, nnx.BatchStat)
    return jnp.mean(y**2), stats


@nnx.compat.jit
def parts(model: Net):
    state = nnx.state(model, nnx.Param, ...)
    return {"states": state}
