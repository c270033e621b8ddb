"""A language model whose output layer is its embedding, under jit and under a conditional."""

import jax
import jax.numpy as jnp
from flax import nnx


class Head(nnx.Module):
    def __init__(self, table: nnx.Embed):
        self.table = table

    def __call__(self, x: jax.Array):
        return self.table.attend(x)


class Model(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.embed = nnx.Embed(5, 3, rngs=rngs)
        self.head = Head(self.embed)

    def __call__(self, tokens: jax.Array):
        return self.head(self.embed(tokens))


@nnx.jit(graph=True, graph_updates=False)
def logits(model: Model, tokens: jax.Array):
    model.embed.embedding[...] *= 0.5
    return model(tokens)


def masked(model: Model, flag: jax.Array, tokens: jax.Array):
    return nnx.cond(
        flag,
        lambda model, tokens: model(tokens),
        lambda model, tokens: jnp.zeros((tokens.shape[0], 5)),
        model,
        tokens,
        graph=True,
        graph_updates=False,
    )
