import jax
import jax.numpy as jnp
import optax
from flax import nnx


def plainly(program, model, optimizer, metrics, state, noise):
    """The same with loops of Python, and gradients of plain functions."""
    losses, norms, rewards = [], [], []
    for noises in noise:
        steps = []
        for each in noises:
            mean, value = model(state)
            log_std = model.log_std[...]
            action = mean + jnp.exp(log_std) * each
            after, reward = program.environment(state, action)
            chance = program.log_probability(mean, log_std, action)
            steps.append({"observation": state, "action": action, "value": value, "reward": reward, "log_probability": chance})
            state = after
        _, following = model(state)
        advantage = jnp.zeros_like(following)
        for step in reversed(steps):
            delta = step["reward"] + 0.9 * following - step["value"]
            advantage = delta + 0.9 * 0.95 * advantage
            following = step["value"]
            step["advantage"], step["target"] = advantage, advantage + step["value"]
        for step in steps:
            graphdef, params, rest = nnx.split(model, nnx.Param, ...)

            def loss_fn(params):
                merged = nnx.merge(graphdef, params, rest, copy=True)
                mean, value = merged(step["observation"])
                chance = program.log_probability(mean, merged.log_std[...], step["action"])
                ratio = jnp.exp(chance - step["log_probability"])
                clipped = jnp.clip(ratio, 0.8, 1.2)
                policy = -jnp.mean(jnp.minimum(ratio * step["advantage"], clipped * step["advantage"]))
                loss = policy + 0.5 * jnp.mean((value - step["target"]) ** 2)
                return loss, nnx.as_pure(nnx.state(merged, nnx.RngState))

            (loss, streams), grads = jax.value_and_grad(loss_fn, has_aux=True)(params)
            nnx.update(model, streams)
            norms.append(optax.global_norm(grads))
            optimizer.update(model, grads)
            metrics.update(values=loss)
            losses.append(loss)
        rewards.append(jnp.stack([step["reward"] for step in steps]).mean())
    shape = (len(noise), -1)
    return state, (jnp.stack(losses).reshape(shape), jnp.stack(norms).reshape(shape), jnp.stack(rewards))


def agree(found, expected, tolerance):
    for one, other in zip(jax.tree.leaves(found), jax.tree.leaves(expected), strict=True):
        if jax.dtypes.issubdtype(one.dtype, jax.dtypes.prng_key):
            one, other = jax.random.key_data(one), jax.random.key_data(other)
        assert jnp.allclose(one, other, rtol=tolerance, atol=tolerance), (one, other)


def made(program, rate):
    model = program.ActorCritic(nnx.Rngs(0), rate)
    optimizer = nnx.Optimizer(model, optax.adam(0.05), wrt=nnx.Param)
    return model, optimizer, nnx.MultiMetric(loss=nnx.metrics.Average())


def drive(program):
    state = jax.random.normal(jax.random.key(1), (3, 2))
    noise = jax.random.normal(jax.random.key(2), (2, 2, 3, 1))
    found = []
    for rate in (0.0, 0.5):
        objects, others = made(program, rate), made(program, rate)
        result = program.train(*objects, state, noise)
        expected = plainly(program, *others, state, noise)
        agree(result, expected, 1e-4)
        agree([nnx.state(each) for each in objects], [nnx.state(each) for each in others], 1e-3)
        assert objects[1].step[...] == 4
        found += [result, *objects, objects[2].compute()]
    return found
