import jax
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 3, rngs=rngs)
        self.ema = nnx.BatchStat(jnp.zeros(3))


@nnx.compat.jit
def project(model: Net, scale):
    """Rescales the kernel to unit norm."""
    kernel = model.linear.kernel
    model.linear.kernel = nnx.Param(scale * kernel / jnp.linalg.norm(kernel))
    setattr(model, "ema", nnx.BatchStat(0.9 * model.ema + 0.1))
