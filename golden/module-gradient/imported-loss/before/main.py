import optax
from flax import nnx

import losses
from nets import Net


@nnx.jit
def train_step(model: Net, optimizer: nnx.Optimizer, batch):
  (loss, logits), grads = nnx.value_and_grad(losses.cross_entropy, has_aux=True)(model, batch)
  optimizer.update(model, grads)
  return loss, logits


def make():
  model = Net(rngs=nnx.Rngs(0))
  return model, nnx.Optimizer(model, optax.adam(1e-2), wrt=nnx.Param)
