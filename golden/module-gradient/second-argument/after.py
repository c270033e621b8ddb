import jax
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.norm = nnx.BatchNorm(2, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x):
        return self.drop(self.norm(self.linear(x)))


def loss_fn(batch: jax.Array, model: Net):
    return jnp.mean((model(batch) - 1.0) ** 2)


def gradients(batch: jax.Array, model: Net):
    # the model comes second in this code base
    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)

    def loss_fn_of_state(batch, params, nondiff):
        return loss_fn(batch, nnx.merge(graphdef, params, nondiff))

    return nnx.grad(loss_fn_of_state, argnums=1)(batch, params, nondiff)


def input_gradients(batch: jax.Array, model: Net):
    """Saliency: argnums=0 is an array, nothing to do with modules."""
    model.eval()
    grads = nnx.grad(loss_fn, argnums=0)(batch, model)
    model.train()
    return grads
