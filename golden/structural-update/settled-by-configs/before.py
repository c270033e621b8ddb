"""Decoders that keep their keys when their config asks for it, and configs that do, or do not."""

import dataclasses

import jax
import jax.numpy as jnp
from flax import nnx


@dataclasses.dataclass(frozen=True)
class Config:
    width: int = 2
    block_size: int = 4


@dataclasses.dataclass(frozen=True)
class TrainingConfig(Config):
    use_cache: bool = False
    sow_weights: bool = False


@dataclasses.dataclass(frozen=True)
class DecodingConfig(Config):
    use_cache: bool = False
    sow_weights: bool = False


class Attention(nnx.Module):
    def __init__(self, config: Config, rngs: nnx.Rngs):
        self.key = nnx.Linear(config.width, config.width, rngs=rngs)
        self.norm = nnx.BatchNorm(config.width, rngs=rngs)


class Trained(Attention):
    def __init__(self, config: TrainingConfig, rngs: nnx.Rngs):
        super().__init__(config, rngs)
        self.config = config
        self.cache = nnx.data(None)

    def __call__(self, x):
        key = self.norm(self.key(x))
        if self.config.use_cache is True and self.cache is not None:
            key = jnp.concat([self.cache, key], axis=1)
        if self.config.use_cache is True:
            self.cache = key[:, -self.config.block_size :, :]
        if self.config.sow_weights:
            self.sow(nnx.Intermediate, "key", key)
        return key


class Decoding(Attention):
    def __init__(self, config: DecodingConfig, rngs: nnx.Rngs):
        super().__init__(config, rngs)
        self.config = config
        self.cache = nnx.data(None)

    def __call__(self, x):
        key = self.key(x)
        if self.config.use_cache:
            self.cache = key[:, -self.config.block_size :, :]
        return key


@nnx.jit
def train_step(model: Trained, x):
    loss, grads = nnx.value_and_grad(lambda m: jnp.mean(m(x) ** 2))(model)
    return loss, jax.tree.leaves(grads)


@nnx.jit
def decode(model: Decoding, x):
    return model(x)


def trained() -> Trained:
    return Trained(TrainingConfig(width=2), nnx.Rngs(0))


def decoding() -> Decoding:
    return Decoding(DecodingConfig(use_cache=True), nnx.Rngs(1))
