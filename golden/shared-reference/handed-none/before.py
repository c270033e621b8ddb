"""A decoder that shares an embedding if it is handed one, in a model that hands it None or one."""

import jax
import jax.numpy as jnp
from flax import nnx


class Decoder(nnx.Module):
    def __init__(self, size: int, shared_embedding: nnx.Embed | None = None, *, rngs: nnx.Rngs):
        self.shared_embedding = shared_embedding
        if self.shared_embedding is None:
            self.output_embed = nnx.Embed(size, 2, rngs=rngs)
        else:
            self.output_embed = self.shared_embedding
        self.drop = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, tokens):
        return self.output_embed.attend(self.drop(self.output_embed(tokens)))


class LanguageModel(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.decoder = Decoder(3, shared_embedding=None, rngs=rngs)

    def __call__(self, tokens):
        return self.decoder(tokens)


class Translator(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.decoder = Decoder(3, nnx.Embed(3, 2, rngs=rngs), rngs=rngs)

    def __call__(self, tokens):
        return self.decoder(tokens)


@nnx.jit
def train_step(model: LanguageModel, tokens):
    loss, grads = nnx.value_and_grad(lambda m: jnp.mean(m(tokens) ** 2))(model)
    return loss, jax.tree.leaves(grads)


@nnx.jit
def translated(model: Translator, tokens):
    return model(tokens)
