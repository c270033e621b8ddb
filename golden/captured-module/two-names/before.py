"""One object under two names, both captured: it is given once."""

import jax
import jax.numpy as jnp
import optax
from flax import nnx


class Encoder(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.calls = nnx.Variable(jnp.array(0))

    def __call__(self, x: jax.Array):
        self.calls[...] += 1
        return self.linear(x)


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.encoder = Encoder(rngs)
        self.steps = nnx.Variable(jnp.array(0))

    def branches(self, flag: jax.Array, x: jax.Array):
        encoder = self.encoder

        def advance(x):
            self.steps[...] += 1
            return encoder(x)

        x = nnx.cond(flag, advance, lambda x: x * 2, x)
        return x + nnx.remat(lambda x: encoder(x) + self.steps[...])(x)

    def mapped(self, xs: jax.Array):
        linear = self.encoder.linear

        @nnx.vmap
        def run(x):
            self.steps[...] += 1
            return linear(x)

        return run(xs)

    def gradient(self, x: jax.Array):
        encoder = self.encoder

        def loss_fn(x):
            self.steps[...] += 1
            return encoder(x).sum()

        return nnx.jit(nnx.value_and_grad(loss_fn))(x)

    def scanned(self, xs: jax.Array):
        encoder = self.encoder

        def advance(x):
            self.steps[...] += 1
            return encoder(x)

        return nnx.scan(lambda x, y: (advance(x), x + y))(jnp.zeros(2), xs)


def train(net: Net, x: jax.Array):
    optimizer = nnx.ModelAndOptimizer(net.encoder.linear, optax.sgd(0.1), wrt=nnx.Param)
    model = optimizer.model

    def step(i, total):
        loss, grads = nnx.value_and_grad(lambda model: jnp.sum(model(x) ** 2))(model)
        optimizer.update(grads)
        return total + loss

    return nnx.fori_loop(0, 3, step, jnp.array(0.0)), optimizer.step[...]


def train_beside(x: jax.Array):
    model = nnx.Linear(2, 2, rngs=nnx.Rngs(1))
    optimizer = nnx.ModelAndOptimizer(model, optax.sgd(0.1), wrt=nnx.Param)

    @jax.jit
    def step(x):
        loss, grads = nnx.value_and_grad(lambda model: jnp.sum(model(x) ** 2))(model)
        optimizer.update(grads)
        return loss

    return step(x), model
