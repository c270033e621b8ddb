import jax
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 3, rngs=rngs)
        self.loss_scale = nnx.Variable(jnp.array(1.0))

    def __call__(self, x: jax.Array):
        return self.loss_scale * self.linear(x)


@nnx.jit
def grow(model: Net):
    model.loss_scale[...] *= 2.0
    return model.loss_scale


@nnx.remat
def kernel_and_output(model: Net, x: jax.Array):
    return {"kernel": model.linear.kernel, "y": model(x)}
