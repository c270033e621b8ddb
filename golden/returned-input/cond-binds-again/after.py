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
    def shrunk(net: Net) -> None:
        net.linear.kernel[...] *= 0.5

    def kept(net: Net) -> None:
        pass

    nnx.cond(flag, shrunk, kept, net)
    return net.linear.kernel[...]


def scaled(which: jax.Array, net: Net, x: jax.Array) -> jax.Array:
    y = nnx.switch(
        which,
        [lambda net, x: net(x), lambda net, x: 2 * x],
        net,
        x,
    )
    return y + net.seen[...]


@nnx.jit
def learn(agent: Agent, x: jax.Array):
    def loss_fn(net: Net):
        return jnp.mean(net(x) ** 2)

    def update(agent: Agent):
        graphdef, params, nondiff = nnx.split(agent.predictor, nnx.Param, ...)

        def loss_fn_of_state(params, nondiff):
            return loss_fn(nnx.merge(graphdef, params, nondiff))

        loss, grads = nnx.value_and_grad(loss_fn_of_state)(params, nondiff)
        agent.optimizer.update(agent.predictor, grads)
        return loss

    def skip(agent: Agent):
        return loss_fn(agent.predictor)

    loss = nnx.cond(agent.step % 2 == 0, update, skip, agent)
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
