import jax.numpy as jnp
from flax import nnx


def drive(program):
    agent = program.Agent(0.9, nnx.Rngs(0))
    agent.target.eval()
    regressor = program.Regressor(nnx.Rngs(1))
    x, reward = jnp.arange(6.0).reshape(3, 2), jnp.ones((3,))
    losses = [agent.update(x, reward) for _ in range(2)]
    return losses, [regressor.gradients(x) for _ in range(2)], agent, regressor
