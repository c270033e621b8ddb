import jax
import jax.numpy as jnp
from flax import nnx

X = jnp.arange(2.0)


def drive(program):
    """What stays as it is goes on raising in graph mode, where a captured object is no argument."""
    layers = program.Layers(nnx.Rngs(0))
    results = [program.twice(layers, X), program.decoded(layers, X)]
    expected = [layers(X) + layers(X + 1), sum(jnp.tanh(layers(X)) * i for i in range(3))]
    for one, other in zip(jax.tree.leaves(results), jax.tree.leaves(expected), strict=True):
        assert jnp.allclose(one, other, rtol=1e-5, atol=1e-6), (one, other)
    return results, layers
