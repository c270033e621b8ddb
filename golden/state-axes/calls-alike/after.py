import jax
import jax.numpy as jnp
from flax import nnx


class Weights(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.kernel = nnx.Param(jnp.ones((2, 3)))
        self.calls = nnx.BatchStat(jnp.array(0))
        self.rngs = rngs


def noisy(weights: Weights, x: jax.Array):
    return x @ weights.kernel[...] + jax.random.normal(weights.rngs.noise(), (3,))


def plain(weights: Weights, x: jax.Array):
    return x @ weights.kernel[...]


def twice(weights: Weights, x: jax.Array):
    axes = nnx.StateAxes({nnx.RngState: 0, ...: None})
    graphdef, rng_state, rest = nnx.split(weights, nnx.RngState, ...)

    def noisy_of_state(rng_state, rest, x):
        return noisy(nnx.merge(graphdef, rng_state, rest), x)

    y1 = nnx.vmap(noisy_of_state, in_axes=(0, None, 0))(rng_state, rest, x)
    graphdef, rng_state, rest = nnx.split(weights, nnx.RngState, ...)
    y2 = nnx.vmap(noisy_of_state, in_axes=(0, None, 0))(rng_state, rest, x)
    return y1, y2


def with_another_function(weights: Weights, x: jax.Array):
    axes = nnx.StateAxes({nnx.RngState: 0, ...: None})
    f = noisy
    graphdef, rng_state, rest = nnx.split(weights, nnx.RngState, ...)

    def f_of_state(rng_state, rest, x):
        return f(nnx.merge(graphdef, rng_state, rest), x)

    y1 = nnx.vmap(f_of_state, in_axes=(0, None, 0))(rng_state, rest, x)
    f = plain
    graphdef, rng_state, rest = nnx.split(weights, nnx.RngState, ...)

    def f_of_state(rng_state, rest, x):
        return f(nnx.merge(graphdef, rng_state, rest), x)

    y2 = nnx.vmap(f_of_state, in_axes=(0, None, 0))(rng_state, rest, x)
    return y1, y2


def with_another_object(weights: Weights, other: Weights, x: jax.Array):
    axes = nnx.StateAxes({nnx.RngState: 0, ...: None})
    weights_graphdef, weights_rng_state, weights_rest = nnx.split(weights, nnx.RngState, ...)

    def noisy_of_state(weights_rng_state, weights_rest, x):
        return noisy(nnx.merge(weights_graphdef, weights_rng_state, weights_rest), x)

    y1 = nnx.vmap(noisy_of_state, in_axes=(0, None, 0))(weights_rng_state, weights_rest, x)
    other_graphdef, other_rng_state, other_rest = nnx.split(other, nnx.RngState, ...)

    def noisy_of_state(other_rng_state, other_rest, x):
        return noisy(nnx.merge(other_graphdef, other_rng_state, other_rest), x)

    y2 = nnx.vmap(noisy_of_state, in_axes=(0, None, 0))(other_rng_state, other_rest, x)
    weights_graphdef, weights_rng_state, weights_rest = nnx.split(weights, nnx.RngState, ...)

    def noisy_of_state(weights_rng_state, weights_rest, x):
        return noisy(nnx.merge(weights_graphdef, weights_rng_state, weights_rest), x)

    y3 = nnx.vmap(noisy_of_state, in_axes=(0, None, 0))(weights_rng_state, weights_rest, x)
    return y1, y2, y3


def in_branches(weights: Weights, x: jax.Array, again: bool):
    axes = nnx.StateAxes({nnx.RngState: 0, ...: None})
    if again:
        graphdef, rng_state, rest = nnx.split(weights, nnx.RngState, ...)

        def noisy_of_state(rng_state, rest, x):
            return noisy(nnx.merge(graphdef, rng_state, rest), x)

        y = nnx.vmap(noisy_of_state, in_axes=(0, None, 0))(rng_state, rest, x)
    else:
        graphdef, rng_state, rest = nnx.split(weights, nnx.RngState, ...)

        def noisy_of_state(rng_state, rest, x):
            return noisy(nnx.merge(graphdef, rng_state, rest), x)

        y = nnx.vmap(noisy_of_state, in_axes=(0, None, 0))(rng_state, rest, x)
    return y
