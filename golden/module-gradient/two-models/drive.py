import jax.numpy as jnp
import optax
from flax import nnx


def drive(program):
    image, text = program.Tower(3, nnx.Rngs(0)), program.Tower(2, nnx.Rngs(1))
    image_opt = nnx.Optimizer(image, optax.sgd(0.1), wrt=nnx.Param)
    text_opt = nnx.Optimizer(text, optax.adam(0.1), wrt=nnx.Param)
    batch = {"image": jnp.arange(9.0).reshape(3, 3), "text": jnp.arange(6.0).reshape(3, 2)}
    losses = [program.train_step(image, text, image_opt, text_opt, batch) for _ in range(3)]
    return losses, image, text, image_opt, text_opt
