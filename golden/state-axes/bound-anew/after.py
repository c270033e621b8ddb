"""A script that binds the names of its axes and of a type anew, one part after the other."""

import jax
import jax.numpy as jnp
from flax import nnx


class Count(nnx.Variable):
    pass


class Weights(nnx.Module):
    def __init__(self, shape: tuple[int, ...], seed):
        self.kernel = nnx.Param(jnp.arange(6.0 * shape[0]).reshape((*shape, 2, 3)[-3:]))
        self.count = Count(jnp.array(0))
        self.rngs = nnx.Rngs(noise=seed)


def product(weights: Weights, x: jax.Array):
    weights.count[...] += 1
    return x @ weights.kernel


def noisy(weights: Weights, x: jax.Array):
    weights.count[...] += 1
    y = x @ weights.kernel
    return y + jax.random.normal(weights.rngs.noise(), y.shape)


results = []
x = jnp.arange(8.0).reshape(4, 2)

weights = Weights((4,), 0)
state_axes = nnx.StateAxes({nnx.Param: 0, ...: None})
graphdef, params, rest = nnx.split(weights, nnx.Param, ...)

def product_of_state(params, rest, x):
    return product(nnx.merge(graphdef, params, rest), x)

results.append(nnx.vmap(product_of_state, in_axes=(0, None, 0), out_axes=1)(params, rest, x))
results.append(weights.count[...])

weights = Weights((1,), jax.random.split(jax.random.key(0), num=4))
weights.kernel = nnx.Param(weights.kernel[0])
state_axes = nnx.StateAxes({nnx.RngState: 0, (nnx.Param, Count): None})
graphdef, rng_state, broadcast = nnx.split(weights, nnx.RngState, (nnx.Param, Count))

def noisy_of_state(rng_state, broadcast, x):
    return noisy(nnx.merge(graphdef, rng_state, broadcast), x)

results.append(nnx.vmap(noisy_of_state, in_axes=(0, None, 0))(rng_state, broadcast, x))
graphdef, rng_state, broadcast = nnx.split(weights, nnx.RngState, (nnx.Param, Count))
results.append(nnx.vmap(noisy_of_state, in_axes=(0, None, 0))(rng_state, broadcast, x))
results.append(weights.count[...])
