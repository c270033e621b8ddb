"""Blocks that sow when they are made to, and models that make them so, or not."""

import jax
import jax.numpy as jnp
from flax import nnx


class Block(nnx.Module):
    def __init__(self, rngs: nnx.Rngs, sow_weights: bool, sow_activations: bool):
        self.attention = nnx.MultiHeadAttention(1, 2, decode=False, rngs=rngs)
        self.norm = nnx.BatchNorm(2, rngs=rngs)
        self.sow_weights = sow_weights
        self.sow_activations = sow_activations

    def __call__(self, x):
        x = self.norm(self.attention(x, sow_weights=self.sow_weights))
        if self.sow_activations:
            self.sow(nnx.Intermediate, "activations", x)
        return x


class Encoder(nnx.Module):
    def __init__(
        self, depth: int, rngs: nnx.Rngs, sow_weights: bool = False, sow_activations: bool = False
    ):
        self.sow_weights = sow_weights
        self.sow_activations = sow_activations
        self.blocks = nnx.List([])
        for _ in range(depth):
            self.blocks.append(
                Block(rngs, sow_weights=self.sow_weights, sow_activations=sow_activations)
            )

    def __call__(self, x):
        for block in self.blocks:
            x = block(x)
        return x


class Tokenizer(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.encoder = Encoder(2, rngs)
        self.decoder = Encoder(1, rngs, sow_weights=False)

    def __call__(self, x):
        return self.decoder(self.encoder(x))


class Inspected(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.encoder = Encoder(1, rngs, sow_activations=True)

    def __call__(self, x):
        return self.encoder(x)


@nnx.jit
def train_step(model: Tokenizer, x):
    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)

    def loss_fn(params, nondiff):
        m = nnx.merge(graphdef, params, nondiff)
        return jnp.mean(m(x) ** 2)

    loss, grads = nnx.value_and_grad(loss_fn)(params, nondiff)
    return loss, jax.tree.leaves(grads)


@nnx.jit
def _inspected_and_pop(model: Inspected, x):
    return model(x), nnx.clone(nnx.pop(model, nnx.Intermediate))


def inspected(model: Inspected, x):
    result, sown = _inspected_and_pop(model, x)
    nnx.update(model, sown)
    return result


@nnx.jit
def _encoded_and_pop(model: Encoder, x):
    return model(x), nnx.clone(nnx.pop(model, nnx.Intermediate))


def encoded(model: Encoder, x):
    result, sown = _encoded_and_pop(model, x)
    nnx.update(model, sown)
    return result


def activations(model: Inspected, x):
    inspected(model, x)
    return nnx.pop(model, nnx.Intermediate)


def weights(model: Encoder, x):
    encoded(model, x)
    return nnx.pop(model, nnx.Intermediate)
