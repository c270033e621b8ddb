import jax.numpy as jnp
from flax import nnx


def drive(program):
    dropout, model = nnx.Dropout(0.5, rngs=nnx.Rngs(0)), program.Net(nnx.Rngs(1))
    xs = jnp.arange(1.0, 9.0).reshape(4, 2)
    masked = [program.mask_rows(dropout, xs) for _ in range(2)]
    return masked, program.twice(model, xs), dropout, model
