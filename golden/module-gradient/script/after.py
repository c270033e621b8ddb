# Minimal example: fit a line with dropout.
import jax
import jax.numpy as jnp
import optax
from flax import nnx


class Model(nnx.Module):
  def __init__(self, rngs):
    self.linear = nnx.Linear(1, 2, rngs=rngs)
    self.bn = nnx.BatchNorm(2, rngs=rngs)
    self.drop = nnx.Dropout(0.5, rngs=rngs)

  def __call__(self, x):
    return self.drop(self.bn(self.linear(x)))


model = Model(nnx.Rngs(0))
optimizer = nnx.Optimizer(model, optax.sgd(1e-1), wrt=nnx.Param)
X = jnp.linspace(0, 1, 6)[:, None]
Y = 2.0 * X + 1.0

losses = []
for step in range(4):
  x, y = X[step : step + 3], Y[step : step + 3]

  def loss_fn(params, nondiff):
    model = nnx.merge(graphdef, params, nondiff)
    return ((model(x) - y) ** 2).mean()

  graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)
  loss, grads = nnx.value_and_grad(loss_fn)(params, nondiff)  # at module level
  optimizer.update(model, grads)
  losses.append(loss)

model.eval()
prediction = model(X)
