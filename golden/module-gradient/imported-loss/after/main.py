import optax
from flax import nnx

import losses
from nets import Net


@nnx.jit
def train_step(model: Net, optimizer: nnx.Optimizer, batch):
  graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)

  def cross_entropy_of_state(params, nondiff, batch):
    return losses.cross_entropy(nnx.merge(graphdef, params, nondiff), batch)

  (loss, logits), grads = nnx.value_and_grad(cross_entropy_of_state, has_aux=True)(
    params, nondiff, batch
  )
  optimizer.update(model, grads)
  return loss, logits


def make():
  model = Net(rngs=nnx.Rngs(0))
  return model, nnx.Optimizer(model, optax.adam(1e-2), wrt=nnx.Param)
