import jax.numpy as jnp
from flax import nnx


def _mark(model):
    copy = nnx.clone(model)
    copy.head.embedding[...] += 1.0
    model.norm.bias[...] += copy.embed.embedding[...].sum(0)


def drive(program):
    tokens = jnp.arange(4)
    made, run = program.make(5, nnx.Rngs(0)), program.make_and_run(5, nnx.Rngs(0), _mark)
    same = made.head.embedding is made.embed.embedding, run.head.embedding is run.embed.embedding
    return made(tokens), run(tokens), same
