import jax.numpy as jnp
from flax import nnx


def drive(program):
    x = jnp.arange(6.0).reshape(3, 2)
    tower = program.tower(x)
    encoder, norm = program.Encoder(x, nnx.Rngs(1)), program.Norm(x, nnx.Rngs(2))
    made = [sorted(vars(each.dense)) for each in (tower, encoder, norm)]
    outputs = [tower(x), encoder.encode(x), program.forward(norm, x)]
    return made, outputs, tower, encoder, norm
