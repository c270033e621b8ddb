"""What an optimizer has a model of is a ModelAndOptimizer, whatever the annotation says."""

import jax
import jax.numpy as jnp
import optax
from flax import nnx


class Net(nnx.Module):
    def __init__(self):
        self.w = nnx.Param(jnp.ones(2))

    def __call__(self, x: jax.Array):
        return x * self.w[...]


@nnx.jit
def step(optimizer: nnx.Optimizer, x: jax.Array):
    grads = nnx.grad(lambda net: jnp.mean(net(x) ** 2))(optimizer.model)
    optimizer.update(grads)


def run(x: jax.Array):
    optimizer = nnx.ModelAndOptimizer(Net(), optax.sgd(0.1))
    step(optimizer, x)
    return optimizer.model(x), optimizer.model.w[...], optimizer.step[...]
