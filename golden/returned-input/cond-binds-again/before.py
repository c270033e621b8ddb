"""Conditionals that bind what they are called with again, alone and in a frozen tree."""

import jax
import jax.numpy as jnp
import optax
from flax import nnx, struct


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.seen = nnx.Variable(jnp.zeros(()))

    def __call__(self, x: jax.Array) -> jax.Array:
        self.seen[...] += 1
        return self.linear(x)


@struct.dataclass
class Agent:
    predictor: Net
    optimizer: nnx.Optimizer
    step: jax.Array


def shrink_if(flag: jax.Array, net: Net) -> jax.Array:
    def shrunk(net: Net) -> Net:
        net.linear.kernel[...] *= 0.5
        return net

    def kept(net: Net) -> Net:
        return net

    net = nnx.cond(flag, shrunk, kept, net)
    return net.linear.kernel[...]


def scaled(which: jax.Array, net: Net, x: jax.Array) -> jax.Array:
    net, y = nnx.switch(
        which,
        [lambda net, x: (net, net(x)), lambda net, x: (net, 2 * x)],
        net,
        x,
    )
    return y + net.seen[...]


@nnx.jit
def learn(agent: Agent, x: jax.Array):
    def loss_fn(net: Net):
        return jnp.mean(net(x) ** 2)

    def update(agent: Agent):
        loss, grads = nnx.value_and_grad(loss_fn)(agent.predictor)
        agent.optimizer.update(agent.predictor, grads)
        return agent, loss

    def skip(agent: Agent):
        return agent, loss_fn(agent.predictor)

    agent, loss = nnx.cond(agent.step % 2 == 0, update, skip, agent)
    return loss, agent.step + 1


def train(xs: jax.Array):
    net = Net(nnx.Rngs(0))
    agent = Agent(net, nnx.Optimizer(net, optax.sgd(0.1), wrt=nnx.Param), jnp.array(0))
    losses = []
    for x in xs:
        loss, step = learn(agent, x)
        agent = agent.replace(step=step)
        losses.append(loss)
    return losses, agent.step, net
