import jax
import jax.numpy as jnp
import optax
from flax import nnx


class Tower(nnx.Module):
  def __init__(self, din: int, rngs: nnx.Rngs):
    self.proj = nnx.Linear(din, 4, rngs=rngs)
    self.norm = nnx.BatchNorm(4, rngs=rngs)
    self.drop = nnx.Dropout(0.5, rngs=rngs)

  def __call__(self, x):
    return self.drop(self.norm(self.proj(x)))


@nnx.jit
def train_step(
    image_tower: Tower,
    text_tower: Tower,
    image_optimizer: nnx.Optimizer,
    text_optimizer: nnx.Optimizer,
    batch,
):
  """Contrastive step over both towers."""

  def loss_fn(
      image_tower_params: nnx.State,
      text_tower_params: nnx.State,
      image_tower_nondiff: nnx.State,
      text_tower_nondiff: nnx.State,
      temperature,
  ):
    image_tower = nnx.merge(image_tower_graphdef, image_tower_params, image_tower_nondiff)
    text_tower = nnx.merge(text_tower_graphdef, text_tower_params, text_tower_nondiff)
    logits = image_tower(batch["image"]) @ text_tower(batch["text"]).T / temperature
    labels = jnp.arange(logits.shape[0])
    return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()

  image_tower_graphdef, image_tower_params, image_tower_nondiff = nnx.split(
      image_tower, nnx.Param, ...
  )
  text_tower_graphdef, text_tower_params, text_tower_nondiff = nnx.split(text_tower, nnx.Param, ...)
  loss, (image_grads, text_grads) = nnx.value_and_grad(loss_fn, argnums=(0, 1))(
      image_tower_params, text_tower_params, image_tower_nondiff, text_tower_nondiff, 2.0
  )
  image_optimizer.update(image_tower, image_grads)
  text_optimizer.update(text_tower, text_grads)
  return loss
