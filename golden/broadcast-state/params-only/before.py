import jax
import jax.numpy as jnp
from flax import nnx


class Cell(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.inner = nnx.Linear(2, 2, rngs=rngs)
        self.norm = nnx.LayerNorm(2, rngs=rngs)

    def __call__(self, carry: jax.Array, x: jax.Array):
        carry = jnp.tanh(self.norm(self.inner(carry) + x))
        return carry, carry


@nnx.scan(in_axes=(None, nnx.Carry, 0), out_axes=(nnx.Carry, 0))
def roll(cell: Cell, carry, x):
    return cell(carry, x)
