import jax
import jax.numpy as jnp
import optax
from flax import nnx


class Encoder(nnx.Module):
  def __init__(self, rngs: nnx.Rngs):
    self.linear = nnx.Linear(2, 3, rngs=rngs)
    self.norm = nnx.BatchNorm(3, rngs=rngs)

  def __call__(self, x):
    return self.norm(self.linear(x))


class Decoder(nnx.Module):
  def __init__(self, rngs: nnx.Rngs):
    self.drop = nnx.Dropout(0.5, rngs=rngs)
    self.linear = nnx.Linear(3, 2, rngs=rngs)

  def __call__(self, z):
    return self.linear(self.drop(z))


@nnx.jit
def train_step(
    encoder: Encoder,
    decoder: Decoder,
    optimizers: tuple[nnx.Optimizer, nnx.Optimizer],
    x: jax.Array,
):
  def loss_fn(
    encoder_kernel_state: nnx.State,
    decoder_params: nnx.State,
    encoder_nondiff: nnx.State,
    decoder_nondiff: nnx.State,
    x,
  ):
    encoder = nnx.merge(encoder_graphdef, encoder_kernel_state, encoder_nondiff)
    decoder = nnx.merge(decoder_graphdef, decoder_params, decoder_nondiff)
    return jnp.mean((decoder(encoder(x)) - x) ** 2)

  # weights only
  encoder_graphdef, encoder_kernel_state, encoder_nondiff = nnx.split(
    encoder, nnx.PathContains("kernel"), ...
  )
  decoder_graphdef, decoder_params, decoder_nondiff = nnx.split(decoder, nnx.Param, ...)
  loss, grads = nnx.value_and_grad(loss_fn, argnums=(0, 1))(
    encoder_kernel_state, decoder_params, encoder_nondiff, decoder_nondiff, x
  )
  optimizers[0].update(encoder, grads[0])
  optimizers[1].update(decoder, grads[1])
  return loss, grads


def make(seed: int):
  encoder, decoder = Encoder(nnx.Rngs(seed)), Decoder(nnx.Rngs(seed + 1))
  return encoder, decoder, (
      nnx.Optimizer(encoder, optax.sgd(0.1), wrt=nnx.PathContains("kernel")),
      nnx.Optimizer(decoder, optax.sgd(0.1), wrt=nnx.Param),
  )
