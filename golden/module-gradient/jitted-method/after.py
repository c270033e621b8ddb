import jax
import jax.numpy as jnp
import optax
from flax import nnx


class Critic(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 3, rngs=rngs)
        self.norm = nnx.BatchNorm(3, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x: jax.Array):
        return self.drop(self.norm(self.linear(x)))


class Agent(nnx.Module):
    """An agent is a Module itself: model, optimizer and keys are its attributes."""

    def __init__(self, discount: float, rngs: nnx.Rngs):
        self.discount = discount
        self.critic = Critic(rngs)
        self.target = Critic(rngs)
        self.optimizer = nnx.Optimizer(self.critic, optax.adam(1e-2), wrt=nnx.Param)
        self.rngs = nnx.Rngs(noise=3)

    @nnx.compat.jit
    @nnx.set_graph_mode(True)
    @nnx.set_graph_updates(True)
    def update(self, obs: jax.Array, reward: jax.Array):
        noise = 0.1 * jax.random.normal(self.rngs.noise(), obs.shape)

        def loss_fn(params: nnx.State, nondiff: nnx.State):
            critic = nnx.merge(graphdef, params, nondiff)
            target = reward[:, None] + self.discount * self.target(obs + noise)
            return jnp.mean((critic(obs) - jax.lax.stop_gradient(target)) ** 2)

        self.target.eval()
        graphdef, params, nondiff = nnx.split(self.critic, nnx.Param, ...)
        loss, grads = nnx.value_and_grad(loss_fn)(params, nondiff)
        self.optimizer.update(self.critic, grads)
        return loss


class Regressor(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.body = Critic(rngs)

    def loss(self, x):
        return jnp.mean((self.body(x) - 1.0) ** 2)

    def gradients(self, x):
        graphdef, params, nondiff = nnx.split(self, nnx.Param, ...)
        return nnx.grad(lambda params, nondiff: nnx.merge(graphdef, params, nondiff).loss(x))(
            params, nondiff
        )
