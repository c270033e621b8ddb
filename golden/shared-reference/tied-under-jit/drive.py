import jax.numpy as jnp
from flax import nnx


def drive(program):
    model = program.Model(nnx.Rngs(0))
    tokens = jnp.array([1, 4])
    outputs = [program.masked(model, jnp.array(flag), tokens) for flag in (True, False)]
    return program.logits(model, tokens), outputs, model.embed.embedding[...]
