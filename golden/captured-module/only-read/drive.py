import jax.numpy as jnp
from flax import nnx


def drive(program):
    head = program.Head(nnx.Rngs(0))
    x = jnp.arange(3.0)
    return head.repeat(x), program.settings(head, x), program.given(head, x), program.of_any_class(head, x), head
