import jax
import jax.numpy as jnp
from flax import nnx


class MLP(nnx.Module):
  def __init__(self, *, rngs: nnx.Rngs):
    self.linear1 = nnx.Linear(2, 3, rngs=rngs)
    self.linear2 = nnx.Linear(3, 2, rngs=rngs)

  def __call__(self, x: jax.Array):
    return self.linear2(jnp.tanh(self.linear1(x)))


def flat_gradients(model: MLP, x: jax.Array):
  """Gradient of each parameter by name."""
  graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)
  grads = nnx.grad(lambda params, nondiff: jnp.sum(nnx.merge(graphdef, params, nondiff)(x)))(
    params, nondiff
  )
  return {"/".join(path): leaf[...] for path, leaf in nnx.to_flat_state(grads)}
