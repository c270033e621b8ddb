import flax
import flax.nnx
import jax.numpy as jnp


class Net(flax.nnx.Module):
    def __init__(self, rngs: flax.nnx.Rngs):
        self.linear = flax.nnx.Linear(2, 3, rngs=rngs)
        self.norm = flax.nnx.BatchNorm(3, rngs=rngs)
        self.drop = flax.nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x):
        return self.drop(self.norm(self.linear(x)))


def loss_fn(model: Net, x):
    return jnp.mean((model(x) - 1.0) ** 2)


def gradients(model: Net, x):
    graphdef, params, nondiff = flax.nnx.split(model, flax.nnx.Param, ...)

    def loss_fn_of_state(params, nondiff, x):
        return loss_fn(flax.nnx.merge(graphdef, params, nondiff), x)

    grads = flax.nnx.grad(loss_fn_of_state)(params, nondiff, x)
    return grads
