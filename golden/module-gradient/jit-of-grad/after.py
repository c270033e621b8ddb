import jax
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 3, rngs=rngs)
        self.norm = nnx.BatchNorm(3, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x):
        return self.drop(self.norm(self.linear(x)))


def loss_fn(model: Net, x: jax.Array):
    return jnp.mean((model(x) - 1.0) ** 2)


def grad_loss_fn(model, x):
    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)

    @nnx.grad
    def grad_loss_fn_of_state(params, nondiff, x):
        model = nnx.merge(graphdef, params, nondiff)
        return loss_fn(model, x)

    return grad_loss_fn_of_state(params, nondiff, x)


compiled_gradients = nnx.jit(grad_loss_fn)
