import jax.numpy as jnp
from flax import nnx


def drive(program):
    net, changing = program.Net(nnx.Rngs(0)), program.Changing(nnx.Rngs(1))
    x = jnp.arange(6.0).reshape(3, 2)
    results = [program.train_step(net, x), program.changed(changing, x)]
    return results, changing.drop(x), net, changing
