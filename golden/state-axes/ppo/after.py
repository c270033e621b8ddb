"""Proximal policy optimisation in scans and one jit: rollout, advantages, epochs of minibatches."""

import jax
import jax.numpy as jnp
import optax
from flax import nnx


class ActorCritic(nnx.Module):
    def __init__(self, rngs: nnx.Rngs, rate: float):
        self.shared = nnx.Linear(2, 4, rngs=rngs)
        self.drop = nnx.Dropout(rate, rngs=rngs)
        self.actor = nnx.Linear(4, 1, rngs=rngs)
        self.critic = nnx.Linear(4, 1, rngs=rngs)
        self.log_std = nnx.Param(jnp.zeros(1))

    def __call__(self, observation: jax.Array):
        hidden = self.drop(jnp.tanh(self.shared(observation)))
        return self.actor(hidden), self.critic(hidden)[..., 0]


def log_probability(mean, log_std, action):
    scaled = (action - mean) / jnp.exp(log_std)
    return jnp.sum(-0.5 * scaled**2 - log_std, axis=-1)


def environment(state: jax.Array, action: jax.Array):
    """A point on a spring."""
    position, velocity = state[..., 0], state[..., 1]
    velocity = velocity + 0.1 * (action[..., 0] - position)
    position = position + 0.1 * velocity
    return jnp.stack([position, velocity], -1), -(position**2)


def rollout(model: ActorCritic, state: jax.Array, noise: jax.Array):
    def step(model: ActorCritic, state: jax.Array, noise: jax.Array):
        @nnx.scan(in_axes=(nnx.Carry, 0), out_axes=(nnx.Carry, 0))
        def step_of_state(carry, noise):
            state, model = carry
            mean, value = model(state)
            log_std = model.log_std[...]
            action = mean + jnp.exp(log_std) * noise
            after, reward = environment(state, action)
            data = {"observation": state, "action": action, "value": value, "reward": reward}
            data["log_probability"] = log_probability(mean, log_std, action)
            return (after, model), data

        (final_carry, *_), outputs = step_of_state((state, model), noise)
        return final_carry, outputs

    return step(model, state, noise)


def advantages(data: dict[str, jax.Array], last: jax.Array):
    def back(carry, step):
        advantage, following = carry
        delta = step["reward"] + 0.9 * following - step["value"]
        advantage = delta + 0.9 * 0.95 * advantage
        return (advantage, step["value"]), advantage

    return jax.lax.scan(back, (jnp.zeros_like(last), last), data, reverse=True)[1]


def update(model: ActorCritic, optimizer: nnx.Optimizer, metrics: nnx.MultiMetric, data: dict[str, jax.Array]):
    def loss_fn(params: nnx.State, nondiff: nnx.State):
        model = nnx.merge(graphdef, params, nondiff)
        mean, value = model(data["observation"])
        ratio = jnp.exp(log_probability(mean, model.log_std[...], data["action"]) - data["log_probability"])
        clipped = jnp.clip(ratio, 0.8, 1.2)
        policy = -jnp.mean(jnp.minimum(ratio * data["advantage"], clipped * data["advantage"]))
        return policy + 0.5 * jnp.mean((value - data["target"]) ** 2)

    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)
    loss, grads = nnx.value_and_grad(loss_fn)(params, nondiff)
    norm = optax.global_norm(grads)
    optimizer.update(model, grads)
    metrics.update(values=loss)
    return loss, norm


def epochs(model: ActorCritic, optimizer: nnx.Optimizer, metrics: nnx.MultiMetric, data: dict[str, jax.Array]):
    def minibatch(
        model: ActorCritic,
        optimizer: nnx.Optimizer,
        metrics: nnx.MultiMetric,
        data: dict[str, jax.Array],
    ):
        @nnx.scan(in_axes=(nnx.Carry, 0), out_axes=(nnx.Carry, 0))
        def minibatch_of_state(carry, data):
            model, optimizer, metrics = carry
            return (model, optimizer, metrics), update(model, optimizer, metrics, data)

        return minibatch_of_state((model, optimizer, metrics), data)[1]

    return minibatch(model, optimizer, metrics, data)


@nnx.jit
def train(model: ActorCritic, optimizer: nnx.Optimizer, metrics: nnx.MultiMetric, state: jax.Array, noise: jax.Array):
    def iteration(
        model: ActorCritic,
        optimizer: nnx.Optimizer,
        metrics: nnx.MultiMetric,
        state: jax.Array,
        noise: jax.Array,
    ):
        @nnx.scan(in_axes=(nnx.Carry, 0), out_axes=(nnx.Carry, 0))
        def iteration_of_state(carry, noise):
            state, model, optimizer, metrics = carry
            state, data = rollout(model, state, noise)
            _, last = model(state)
            advantage = advantages(data, last)
            data["advantage"], data["target"] = advantage, advantage + data["value"]
            losses, norms = epochs(model, optimizer, metrics, data)
            return (state, model, optimizer, metrics), (losses, norms, data["reward"].mean())

        (final_carry, *_), outputs = iteration_of_state((state, model, optimizer, metrics), noise)
        return final_carry, outputs

    return iteration(model, optimizer, metrics, state, noise)
