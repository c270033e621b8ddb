import jax.numpy as jnp
import optax
from flax import nnx


class Net(nnx.Module):
  def __init__(self, rngs: nnx.Rngs):
    self.linear = nnx.Linear(2, 3, rngs=rngs)
    self.norm = nnx.BatchNorm(3, rngs=rngs)
    self.drop = nnx.Dropout(0.5, rngs=rngs)

  def __call__(self, x):
    return self.drop(self.norm(self.linear(x)))


def adversarial_step(generator: Net, critic: Net, g_opt: nnx.Optimizer, c_opt: nnx.Optimizer, x):
  diff = nnx.DiffState(0, nnx.PathContains("linear"))

  def critic_loss(critic_linear_state: nnx.State, critic_nondiff: nnx.State):
    critic = nnx.merge(critic_graphdef, critic_linear_state, critic_nondiff)
    return jnp.mean(critic(x) - critic(2.0 * x))

  def generator_loss(generator_linear_state: nnx.State, generator_nondiff: nnx.State):
    generator = nnx.merge(generator_graphdef, generator_linear_state, generator_nondiff)
    return -jnp.mean(generator(x))

  critic_graphdef, critic_linear_state, critic_nondiff = nnx.split(
    critic, nnx.PathContains("linear"), ...
  )
  c_loss, c_grads = nnx.value_and_grad(critic_loss)(critic_linear_state, critic_nondiff)
  c_opt.update(critic, c_grads)
  generator_graphdef, generator_linear_state, generator_nondiff = nnx.split(
    generator, nnx.PathContains("linear"), ...
  )
  g_loss, g_grads = nnx.value_and_grad(generator_loss)(generator_linear_state, generator_nondiff)
  g_opt.update(generator, g_grads)
  return c_loss, g_loss
