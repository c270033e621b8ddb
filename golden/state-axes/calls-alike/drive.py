import jax.numpy as jnp
from flax import nnx


def made(program, seed):
    weights = program.Weights(nnx.Rngs(noise=seed).fork(split=4))
    return weights


def drive(program):
    x = jnp.arange(8.0).reshape(4, 2)
    first, second = made(program, 0), made(program, 1)
    return (
        program.twice(first, x),
        program.with_another_function(first, x),
        program.with_another_object(first, second, x),
        [program.in_branches(first, x, again) for again in (True, False)],
        first,
        second,
    )
