import jax
import jax.numpy as jnp
from flax import nnx


def concrete(model):
    return all(isinstance(leaf, jax.Array) and not isinstance(leaf, jax.core.Tracer) for leaf in jax.tree.leaves(nnx.state(model)))


def drive(program):
    model, noisy = program.Backbone(nnx.Rngs(0)), program.Noisy(nnx.Rngs(1))
    first, second, third, fourth = program.shapes(model, noisy, 5)
    probe = program.Probe(model)
    assert concrete(model) and concrete(noisy)
    assert noisy.drop.rngs.count[...] == 0
    found = [(each.shape, str(each.dtype)) for each in (first, second, third, fourth, probe.output)]
    x = jnp.ones((5, 4))
    assert found[0][0] == model(x).shape
    return found, model, noisy, model(x)
