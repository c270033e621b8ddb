"""Steps that are given a model together with what holds it."""

import jax
import jax.numpy as jnp
import optax
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.encoder = nnx.Linear(2, 2, rngs=rngs)
        self.head = nnx.Linear(2, 1, rngs=rngs)

    def __call__(self, x: jax.Array):
        return self.head(jnp.tanh(self.encoder(x)))


@nnx.jit(graph=True, graph_updates=False)
def decay(net: Net, encoder: nnx.Linear):
    encoder.kernel[...] *= 0.5
    return net(jnp.ones((1, 2)))


@nnx.jit
def train_step(optimizer, x, y):
    net = optimizer.model

    def loss(params):
        return jnp.mean((nnx.merge(graphdef, params)(x) - y) ** 2)

    graphdef, params = nnx.split(net)
    optimizer.update(jax.grad(loss)(params))
    return net(x)


def run(x, y):
    net = Net(nnx.Rngs(0))
    optimizer = nnx.ModelAndOptimizer(net, optax.sgd(0.1))
    outputs = [train_step(optimizer, x, y) for _ in range(2)]
    outputs.append(decay(net, net.encoder))
    return outputs, net
