"""A script: what is traced uses objects that other files hold."""

import jax
import jax.numpy as jnp
import state
from flax import nnx
from state import net, optimizer
from state import plain as linear
from streams import streams


def noisy(x: jax.Array, streams):
    return x + streams.noise.normal(x.shape)


def predict(x: jax.Array, net, streams):
    return net(noisy(x, streams))


@nnx.jit
def train_step(x: jax.Array, y: jax.Array, linear, optimizer):
    loss, grads = nnx.value_and_grad(lambda m: jnp.mean((m(x) - y) ** 2))(linear)
    optimizer.update(linear, grads)
    return loss


@nnx.vmap(in_axes=(0, None))
def mapped(x: jax.Array, net):
    return net(x)


@jax.jit
def read(x: jax.Array):
    return linear(x)


@nnx.remat
def by_the_module(x: jax.Array):
    """Not a name that could become a parameter."""
    return state.net(x)


x = jnp.ones(2)

def body(i, loop_carry):
    x, net = loop_carry
    return net(x) + i, net

repeated, _ = nnx.fori_loop(0, 3, body, (x, net))
predicted = nnx.remat(lambda x, net, streams: predict(x, net, streams))(x, net, streams)
rows = mapped(jnp.ones((3, 2)), net)
loss = train_step(x, x, linear, optimizer)


def main():
    from state import net as again

    def step(loop_carry, x):
        carry, again = loop_carry
        return (carry + again(x), again), x

    (total, _), _ = nnx.scan(step)((jnp.zeros(2), again), jnp.ones((2, 2)))
    return total, mapped(jnp.ones((2, 2)), net), predict(x, net, streams), read(x)


total, last, eager, same = main()
