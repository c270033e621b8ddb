import jax.numpy as jnp
from flax import nnx


def drive(program):
    xs = jnp.arange(6.0).reshape(3, 2) + 1
    model = program.Net(nnx.Rngs(0))
    results = [program.trained_and_frozen(model, xs), program.evaluated(model, xs[0])]
    return results, program.Runner(program.Net(nnx.Rngs(1))).run(xs[0]), program.fresh(model, xs), program.inner(model, xs[0])
