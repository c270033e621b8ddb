"""Blocks that keep the Rngs of the model that makes them, as most code with noise does."""

import jax
import jax.numpy as jnp
import optax
from flax import nnx


class Noise(nnx.Module):
    """Noise on features.

    Args:
        rngs: of the model.
    """

    def __init__(
        self,
        features: int,
        *,
        rngs: nnx.Rngs,
    ):
        self.scale = nnx.Param(jnp.ones(features))
        self.rngs = rngs

    def draw(self, x):
        return self.rngs.noise.normal(x.shape) * self.scale

    def __call__(
        self,
        x: jax.Array,
        train: bool = True,
    ):
        return x + self.draw(x) if train else x


class Block(nnx.Module):
    def __init__(self, features: int, rngs: nnx.Rngs):
        super().__init__()
        self.linear = nnx.Linear(features, features, rngs=rngs)
        # Drawn from at each call.
        self._rngs = rngs

        self.dropout = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x, *, train: bool = True):
        keep = jax.random.bernoulli(self._rngs.mask(), 0.8, x.shape) if train else 1.0
        return self.dropout(self.linear(x), deterministic=not train) * keep


class Model(nnx.Module):
    def __init__(self, features: int, depth: int, rngs: nnx.Rngs):
        """A model of some blocks."""
        super().__init__()
        self.first = Block(features, rngs)
        self.noise = Noise(features, rngs=rngs)
        self.blocks = nnx.List([Block(features, rngs=rngs) for _ in range(depth)])

    def __call__(self, x, train: bool = True):
        x = self.noise(
            self.first(x, train=train),
            train,
        )
        for i, block in enumerate(self.blocks):
            x = block(x, train=train) + i
        return x

    def last(self, x):
        return self.blocks[-1](x, train=False)


def loss_fn(model: Model, x):
    return jnp.mean(model(x) ** 2)


@nnx.jit
def train_step(model: Model, optimizer: nnx.Optimizer, x):
    loss, grads = nnx.value_and_grad(loss_fn)(model, x)
    optimizer.update(model, grads)
    return loss


@nnx.jit
def evaluate(model: Model, x):
    return model(x, train=False) + model.last(x)


def train(x):
    model = Model(2, 2, nnx.Rngs(0, noise=1))
    optimizer = nnx.Optimizer(model, optax.sgd(0.1), wrt=nnx.Param)
    losses = [train_step(model, optimizer, x) for _ in range(3)]
    return losses, evaluate(model, x), nnx.state(model, nnx.Param)
