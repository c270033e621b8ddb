import jax.numpy as jnp
from flax import nnx


def drive(program):
    net, still = program.Net(nnx.Rngs(0)), program.Still(nnx.Rngs(1))
    x = jnp.arange(6.0).reshape(3, 2)
    results = [program.counted(net, x), program.counted(net, x + 1), program.calls(net)]
    return results, [program.train_step(still, x) for _ in range(2)], net, still
