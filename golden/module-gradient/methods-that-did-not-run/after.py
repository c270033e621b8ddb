"""What only a method stores that did not run on the object: it is not there."""

import jax
import jax.numpy as jnp
from flax import nnx


class Attention(nnx.Module):
    def __init__(self, size: int, *, scaled=True, rngs: nnx.Rngs):
        self.query = nnx.Linear(size, size, rngs=rngs)
        self.scale: nnx.Param | None
        if scaled:
            self.scale = nnx.Param(jnp.ones(size))
        else:
            self.scale = None
        self.index: nnx.Cache | None = nnx.data(None)

    def init_cache(self):
        self.index = nnx.Cache(jnp.array(0, dtype=jnp.int32))

    def __call__(self, x: jax.Array):
        y = self.query(x)
        if self.index is not None:
            self.index[...] += 1
        return y if self.scale is None else y * self.scale[...]


class Block(nnx.Module):
    def __init__(self, *, rngs: nnx.Rngs):
        self.attention = Attention(2, rngs=rngs)

    def start(self):
        self.attention.init_cache()

    def __call__(self, x: jax.Array):
        return jnp.tanh(self.attention(x))


def loss_fn(model, x: jax.Array):
    return jnp.mean(model(x) ** 2)


def of_a_layer(x: jax.Array):
    attention = Attention(2, rngs=nnx.Rngs(0))
    grads = nnx.grad(loss_fn)(attention, x)
    return grads.scale[...], grads.query.kernel[...]


def of_a_part(x: jax.Array):
    block = Block(rngs=nnx.Rngs(0))
    grads = nnx.grad(loss_fn)(block, x)
    return grads.attention.query.kernel[...]


def without_scale(x: jax.Array):
    attention = Attention(2, scaled=False, rngs=nnx.Rngs(0))
    grads = nnx.grad(loss_fn)(attention, x)
    absent = not hasattr(grads, "scale") or grads.scale is None
    present = hasattr(grads, "scale") and grads.scale is not None
    return absent, present, grads.query.kernel[...]


def decoded(x: jax.Array):
    attention = Attention(2, rngs=nnx.Rngs(0))
    attention.init_cache()
    attention(x)
    return attention(x), attention.index[...]


def started(x: jax.Array):
    block = Block(rngs=nnx.Rngs(0))
    block.start()
    return block(x), block.attention.index[...]


def run(x: jax.Array):
    return of_a_layer(x), of_a_part(x), without_scale(x), decoded(x), started(x)
