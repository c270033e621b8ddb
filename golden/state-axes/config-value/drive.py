import jax.numpy as jnp
from flax import nnx


def drive(program):
    config = program.Config(param_scan_axis=0)
    layers = program.create_layers(config, nnx.Rngs(0))
    x = jnp.arange(6.0).reshape(3, 2)
    out = [program.apply_layers(config, layers, x) for _ in range(2)]
    return out, layers
