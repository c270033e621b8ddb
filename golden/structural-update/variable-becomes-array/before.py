import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 3, rngs=rngs)
        self.norm = nnx.BatchStat(jnp.ones(()))


@nnx.jit
def freeze(model: Net):
    """Leaves plain arrays, which no optimizer updates."""
    kernel = model.linear.kernel[...]
    norm = jnp.linalg.norm(kernel)
    model.linear.kernel = kernel / norm
    setattr(model, "norm", norm)
