import jax.numpy as jnp


def drive(program):
    agent = program.Agent(5)
    x, returns = jnp.arange(6.0).reshape(3, 2), jnp.array([0.0, 1.0, 2.0])
    losses = [agent.update(x, returns) for _ in range(2)]
    losses += [agent.update_in_place(x, returns) for _ in range(2)]
    return losses, agent
