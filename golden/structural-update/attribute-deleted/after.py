import jax
import jax.numpy as jnp
from flax import nnx


class Pretrained(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.backbone = nnx.Linear(2, 4, rngs=rngs)
        self.head = nnx.Linear(4, 3, rngs=rngs)
        self.auxiliary = nnx.Linear(4, 1, rngs=rngs)


@nnx.compat.jit
def prune(model: Pretrained):
    del model.auxiliary
    model.backbone.kernel[...] = jnp.where(
        jnp.abs(model.backbone.kernel) < 0.1, 0.0, model.backbone.kernel
    )
