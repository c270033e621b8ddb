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


def noisy(x: jax.Array, rngs):
    return x + rngs.noise.normal(x.shape)


def predict(x: jax.Array, net, rngs):
    return net(noisy(x, rngs))


def repeat(i: jax.Array, loop_carry):
    x, net = loop_carry
    return net(x) + i, net


@nnx.jit
def train_step(x: jax.Array, y: jax.Array, optimizer, plain):
    loss, grads = nnx.value_and_grad(lambda m: jnp.mean((m(x) - y) ** 2))(plain)
    optimizer.update(plain, grads)
    return loss


@nnx.vmap(in_axes=(0, None))
def mapped(x: jax.Array, net):
    return net(x)


@jax.jit
def read(x: jax.Array):
    return plain(x)


x = jnp.ones(2)
repeated, _ = nnx.fori_loop(0, 3, repeat, (x, net))
predicted = nnx.remat(lambda x, net, rngs: predict(x, net, rngs))(x, net, rngs)
rows = mapped(jnp.ones((3, 2)), net)
loss = train_step(x, x, optimizer, plain)


def main():
    def step(loop_carry, x):
        carry, net, rngs = loop_carry
        return (carry + predict(x, net, rngs), net, rngs), x

    (total, _, _), _ = nnx.scan(step)((jnp.zeros(2), net, rngs), jnp.ones((2, 2)))
    return total, mapped(jnp.ones((2, 2)), net), predict(x, net, rngs), read(x)


total, last, eager, same = main()
