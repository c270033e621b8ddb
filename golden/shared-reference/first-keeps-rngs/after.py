"""Transformer blocks that keep the Rngs of their model: the first of them is where it is listed."""

import jax
import jax.numpy as jnp
import optax
from flax import nnx


class Block(nnx.Module):
    """A block with noise.

    Args:
        rngs: of the model.
    """

    def __init__(self, features: int, *, rngs: nnx.Rngs):
        super().__init__()
        # Drawn from at each call.
        self.rngs = rngs
        self.linear = nnx.Linear(features, features, rngs=rngs)
        self.dropout = nnx.Dropout(0.5, rngs=rngs)

    def keep(self, shape, *, rngs: nnx.Rngs | None = None):
        """A mask."""
        rngs = self.rngs if rngs is None else rngs
        return jax.random.bernoulli(rngs.mask(), 0.8, shape)

    def __call__(
        self,
        x: jax.Array,
        train: bool = True,
        *,
        rngs: nnx.Rngs | None = None,
    ):
        rngs = self.rngs if rngs is None else rngs
        x = self.dropout(self.linear(x), deterministic=not train)
        if not train:
            return x
        return x * self.keep(x.shape, rngs=rngs) + rngs.noise.normal(x.shape)


class Model(nnx.Module):
    def __init__(self, features: int, depth: int, rngs: nnx.Rngs):
        """A model of some blocks."""
        self.first = nnx.Linear(features, features, rngs=rngs)
        self.blocks = nnx.List([Block(features, rngs=rngs) for _ in range(depth)])
        # Only self.blocks[0] keeps the Rngs; the others get it at their calls.
        for block in self.blocks[1:]:
            del block.rngs

    def __call__(self, x, train: bool = True):
        x = self.first(x)
        for i, block in enumerate(self.blocks):
            x = block(
                x,
                train,
                rngs=self.blocks[0].rngs,
            )
            x = x + i
        return x

    def last(self, x):
        return self.blocks[-1](x, train=False, rngs=self.blocks[0].rngs)


def loss_fn(model: Model, x):
    return jnp.mean(model(x) ** 2)


@nnx.jit
def train_step(model: Model, optimizer: nnx.Optimizer, x):
    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)

    def loss_fn_of_state(params, nondiff, x):
        return loss_fn(nnx.merge(graphdef, params, nondiff), x)

    loss, grads = nnx.value_and_grad(loss_fn_of_state)(params, nondiff, x)
    optimizer.update(model, grads)
    return loss


@nnx.jit
def evaluate(model: Model, x):
    return model(x, train=False) + model.last(x)


def train(x):
    model = Model(2, 3, nnx.Rngs(0, noise=1))
    optimizer = nnx.Optimizer(model, optax.sgd(0.1), wrt=nnx.Param)
    losses = [train_step(model, optimizer, x) for _ in range(3)]
    return losses, evaluate(model, x), nnx.state(model)


def noise(x):
    """A block alone keeps its own."""
    block = Model(2, 1, nnx.Rngs(3))
    return evaluate(block, x), nnx.state(block)
