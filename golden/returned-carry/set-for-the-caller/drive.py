import jax.numpy as jnp
from flax import nnx


def drive(program):
    xs = jnp.arange(6.0).reshape(3, 2)
    trained, counted, kept = (program.Net(nnx.Rngs(seed)) for seed in range(3))
    sums = [program.train(trained, xs), program.count(counted, xs)[1], program.before(kept, xs)]
    return sums, trained(xs[0]), counted.epochs, program.of_its_own(xs), trained, counted, kept
