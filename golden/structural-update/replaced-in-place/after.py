"""Modules that put new Variables in the place of those that their constructors made."""

import jax
import jax.numpy as jnp
import optax
from flax import nnx


class Loss(nnx.Variable):
    """A term of the loss."""


class Gaussian(nnx.Module):
    """A latent space that keeps its divergence, while it is told to."""

    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(4, 4, rngs=rngs)
        self.kl = Loss(jnp.array(1e10))
        self.keeps = True

    def __call__(self, x):
        mean, logvar = jnp.split(self.linear(x), 2, axis=-1)
        if self.keeps:
            self.kl.set_value(
                jnp.mean(jnp.exp(logvar) + mean**2 - 1.0 - logvar)  # without the half
            )
        return mean


class Whitened(nnx.Module):
    """Follows the mean of what it sees, whose shape it learns from the first batch."""

    def __init__(self):
        self.steps = nnx.BatchStat(jnp.array(0))
        self.mean = nnx.BatchStat(jnp.zeros(()))

    def __call__(self, x):
        self.steps.set_value(self.steps[...] + 1)
        self.mean.set_value(self.mean + (x.mean(axis=0) - self.mean) / self.steps)
        return x - self.mean[...]

    def reset(self):
        self.steps.set_value(jnp.array(0))


class Model(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.whitened = Whitened()
        self.latent = Gaussian(rngs)

    def __call__(self, x):
        return self.latent(self.whitened(x))


@nnx.jit
def train_step(model: Model, optimizer: nnx.Optimizer, x):
    def loss_fn(params: nnx.State, nondiff: nnx.State):
        model = nnx.merge(graphdef, params, nondiff)
        y = model(x)
        return jnp.mean(y**2) + 0.1 * model.latent.kl[...]

    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)
    loss, grads = nnx.value_and_grad(loss_fn)(params, nondiff)
    optimizer.update(model, grads)
    return loss


@nnx.jit
def forget(model: Model):
    model.whitened.reset()


def train(x):
    model = Model(nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.sgd(0.1), wrt=nnx.Param)
    losses = [train_step(model, optimizer, x) for _ in range(3)]
    followed = model.whitened.steps + 0
    forget(model)
    losses.append(train_step(model, optimizer, x))
    return losses, followed, model
