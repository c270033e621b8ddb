"""A script: what is traced uses a model, an optimizer and random streams of the module."""

import jax
import jax.numpy as jnp
import optax
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.calls = nnx.Variable(jnp.array(0))

    def __call__(self, x: jax.Array):
        self.calls[...] += 1
        return self.linear(x)


net = Net(nnx.Rngs(0))
plain = nnx.Linear(2, 2, rngs=nnx.Rngs(1))
optimizer = nnx.Optimizer(plain, optax.sgd(0.1), wrt=nnx.Param)
rngs = nnx.Rngs(2)


def noisy(x: jax.Array):
    return x + rngs.noise.normal(x.shape)


def predict(x: jax.Array):
    return net(noisy(x))


def repeat(i: jax.Array, x: jax.Array):
    return net(x) + i


@nnx.jit
def train_step(x: jax.Array, y: jax.Array):
    loss, grads = nnx.value_and_grad(lambda m: jnp.mean((m(x) - y) ** 2))(plain)
    optimizer.update(plain, grads)
    return loss


@nnx.vmap
def mapped(x: jax.Array):
    return net(x)


@jax.jit
def read(x: jax.Array):
    return plain(x)


x = jnp.ones(2)
repeated = nnx.fori_loop(0, 3, repeat, x)
predicted = nnx.remat(lambda x: predict(x))(x)
rows = mapped(jnp.ones((3, 2)))
loss = train_step(x, x)


def main():
    def step(carry, x):
        return carry + predict(x), x

    total, _ = nnx.scan(step)(jnp.zeros(2), jnp.ones((2, 2)))
    return total, mapped(jnp.ones((2, 2))), predict(x), read(x)


total, last, eager, same = main()
