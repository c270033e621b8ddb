import jax
import jax.numpy as jnp
import optax
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 3, rngs=rngs)
        self.norm = nnx.BatchNorm(3, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x: jax.Array):
        return self.drop(self.norm(self.linear(x)))


def make_train_step(weight: float):
    """Builds the step; the gradient function is built outside of it, once."""

    def loss_fn(model: Net, x: jax.Array):
        y = model(x)
        return weight * jnp.mean((y - 1.0) ** 2), y

    def grad_fn(model, x):
        graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)

        @nnx.value_and_grad(has_aux=True)
        def grad_fn_of_state(params, nondiff, x):
            model = nnx.merge(graphdef, params, nondiff)
            return loss_fn(model, x)

        return grad_fn_of_state(params, nondiff, x)

    @nnx.jit
    def train_step(model: Net, optimizer: nnx.Optimizer, x: jax.Array):
        (loss, y), grads = grad_fn(model, x)
        optimizer.update(model, grads)
        return loss, y

    return train_step


def make(seed: int):
    model = Net(nnx.Rngs(seed))
    return model, nnx.Optimizer(model, optax.sgd(0.1), wrt=nnx.Param)
