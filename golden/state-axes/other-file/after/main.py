import jax.numpy as jnp
from flax import nnx

from population import Net, create, evaluate


def generations(seed: int, n: int):
    population: Net = create(nnx.Rngs(seed))
    x = jnp.arange(6.0).reshape(3, 2)
    scores = [evaluate(population, x) for _ in range(n)]
    return scores, population
