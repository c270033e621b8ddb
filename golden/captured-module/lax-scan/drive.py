import jax
import jax.numpy as jnp
from flax import nnx


def rollout(model, state, noise):
    states = []
    for each in noise[::-1]:
        state = model(state) + each
        states.insert(0, state)
    return jnp.array(len(noise)), state, jnp.stack(states)


def agree(found, expected):
    for one, other in zip(jax.tree.leaves(found), jax.tree.leaves(expected), strict=True):
        if jax.dtypes.issubdtype(one.dtype, jax.dtypes.prng_key):
            one, other = jax.random.key_data(one), jax.random.key_data(other)
        assert jnp.allclose(one, other, rtol=1e-5, atol=1e-6), (one, other)


def drive(program):
    x, noise = jnp.ones(2), jax.random.normal(jax.random.key(0), (4, 2))
    layers = program.Layers(nnx.Rngs(0))
    found = program.main(layers, x)
    expected = x
    for _ in range(4):
        expected = layers(expected)
    agree(found, expected)
    model, other = program.Noisy(nnx.Rngs(1)), program.Noisy(nnx.Rngs(1))
    results = [program.rollout(model, x, noise), program.last(model, x, noise), program.read(model, x, noise)]
    agree(results[0], rollout(other, x, noise))
    agree(results[1], rollout(other, x, noise[::-1])[1])
    agree(nnx.state(model), nnx.state(other))
    return found, results, model
