"""A script: what is traced uses objects that other files hold."""

import jax
import jax.numpy as jnp
import state
from flax import nnx
from state import net, optimizer
from state import plain as linear
from streams import streams


def noisy(x: jax.Array):
    return x + streams.noise.normal(x.shape)


def predict(x: jax.Array):
    return net(noisy(x))


@nnx.jit
def train_step(x: jax.Array, y: jax.Array):
    loss, grads = nnx.value_and_grad(lambda m: jnp.mean((m(x) - y) ** 2))(linear)
    optimizer.update(linear, grads)
    return loss


@nnx.vmap
def mapped(x: jax.Array):
    return net(x)


@jax.jit
def read(x: jax.Array):
    return linear(x)


@nnx.remat
def by_the_module(x: jax.Array):
    """Not a name that could become a parameter."""
    return state.net(x)


x = jnp.ones(2)
repeated = nnx.fori_loop(0, 3, lambda i, x: net(x) + i, x)
predicted = nnx.remat(lambda x: predict(x))(x)
rows = mapped(jnp.ones((3, 2)))
loss = train_step(x, x)


def main():
    from state import net as again

    def step(carry, x):
        return carry + again(x), x

    total, _ = nnx.scan(step)(jnp.zeros(2), jnp.ones((2, 2)))
    return total, mapped(jnp.ones((2, 2))), predict(x), read(x)


total, last, eager, same = main()
