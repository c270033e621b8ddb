import jax.numpy as jnp
from flax import nnx
from jax.sharding import PartitionSpec as P


def drive(program):
    model = program.Net(nnx.Rngs(0))
    forward = program.compiled_forward({nnx.Param: P(), ...: P()})
    x = jnp.arange(8.0).reshape(4, 2)
    return [forward(model, x) for _ in range(2)], model
