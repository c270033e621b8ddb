"""A script that trains a block and looks at its attention from time to time."""

import jax
import jax.numpy as jnp
import optax
from flax import nnx


class Block(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.attention = nnx.MultiHeadAttention(
            2, 4, dropout_rate=0.1, deterministic=False, decode=False, rngs=rngs
        )
        self.norm = nnx.LayerNorm(4, rngs=rngs)

    def __call__(self, x: jax.Array, keep_weights: bool = False):
        return self.norm(x + self.attention(x, sow_weights=keep_weights))


@nnx.jit
def train_step(block: Block, optimizer: nnx.Optimizer, x: jax.Array):
    def loss_fn(params: nnx.State, nondiff: nnx.State):
        block = nnx.merge(graphdef, params, nondiff)
        return jnp.mean((block(x) - 1.0) ** 2)

    graphdef, params, nondiff = nnx.split(block, nnx.Param, ...)
    loss, grads = nnx.value_and_grad(loss_fn)(params, nondiff)
    optimizer.update(block, grads)
    return loss


@nnx.jit
@nnx.capture(nnx.Intermediate)
def look(block: Block, x: jax.Array):
    return block(x, keep_weights=True).mean()


def main(x: jax.Array):
    block = Block(nnx.Rngs(0))
    optimizer = nnx.Optimizer(block, optax.sgd(0.1), wrt=nnx.Param)
    history = []
    for _ in range(2):
        loss = train_step(block, optimizer, x)
        level, seen = look(block, x)
        history.append((loss, level, seen["attention"]["attention_weights"][0]))
    return history, block
