import jax
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 3, rngs=rngs)
        self.drop = nnx.Dropout(0.5, deterministic=True, rngs=rngs)

    def __call__(self, x):
        return self.drop(self.linear(x))


def gradients(model: Net, x: jax.Array):
    graphdef, params, rest = nnx.split(model, nnx.Param, ...)

    def loss_fn(params: nnx.State):
        net = nnx.merge(graphdef, params, rest)
        return jnp.mean(net(x) ** 2)

    return nnx.grad(loss_fn)(params)


def state_gradients(model: Net, x):
    params = nnx.state(model, nnx.Param)
    return nnx.value_and_grad(lambda p: jnp.sum(x @ p["linear"]["kernel"][...]))(params)
