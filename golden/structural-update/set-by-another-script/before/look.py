import jax.numpy as jnp
from flax import nnx

from nets import Encoder


def looked_at():
    encoder = Encoder(nnx.Rngs(0))
    for block in encoder.blocks:
        setattr(block, "sow_activations", True)
    encoder(jnp.ones((1, 3)))
    return nnx.pop(encoder, nnx.Intermediate)


if __name__ == "__main__":
    print(looked_at())
