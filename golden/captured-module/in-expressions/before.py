"""Scans of which the results go on as a whole, in the middle of an expression."""

import jax
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.calls = nnx.Variable(jnp.array(0.0))

    def __call__(self, x: jax.Array):
        self.calls[...] += 1
        return self.linear(x)

    @property
    def seen(self):
        return self.calls[...]


def an_element(net: Net, xs: jax.Array):
    def body(carry, x):
        return carry + net(x), x

    return nnx.scan(body)(jnp.zeros(2), xs)[1].sum()


def given_whole(net: Net, xs: jax.Array):
    def body(carry, x):
        return carry + net(x), x

    return jax.tree.map(lambda a: a.sum(), nnx.scan(body)(jnp.zeros(2), xs))  # both sums


def unpacked(net: Net, xs: jax.Array):
    def body(carry, x):
        return carry + net(x), x * carry

    return jnp.stack([*nnx.scan(body)(jnp.zeros(2), xs)][1])


def on_several_lines(net: Net, xs: jax.Array):
    def body(carry, x):
        return carry + net(x), x

    total = 0.5
    total += sum(
        # the carry and the outputs
        map(
            jnp.sum,
            nnx.scan(body)(
                jnp.zeros(2),  # begin
                xs,
            ),  # end
        )
    )
    return total


def carry_last(net: Net, xs: jax.Array):
    @nnx.scan(in_axes=(nnx.Carry, 0), out_axes=(0, nnx.Carry))
    def body(carry, x):
        return x, carry + net(x)

    return {"both": (body(jnp.zeros(2), xs))}


def of_jax(net: Net, xs: jax.Array):
    def body(carry, x):
        return carry + net(x), x

    return dict(zip(("carry", "outputs"), jax.lax.scan(body, jnp.zeros(2), xs)))


def reads_before(net: Net, xs: jax.Array):
    """What comes first in the statement would come last."""

    def body(carry, x):
        return carry + net(x), x

    return jax.tree.map(jnp.add, (net.calls[...], 0.0), nnx.scan(body)(jnp.zeros(2), xs))


def reads_a_property_before(net: Net, xs: jax.Array):
    def body(carry, x):
        return carry + net(x), x

    return jax.tree.map(jnp.add, (net.seen, 0.0), nnx.scan(body)(jnp.zeros(2), xs))


def twice(net: Net, xs: jax.Array):
    def body(carry, x):
        return carry + net(x), x

    run = nnx.scan(body)
    return [run(jnp.zeros(2), xs), run(jnp.ones(2), xs)]


def in_one_line(net: Net, xs: jax.Array):
    def body(carry, x):
        return carry + net(x), x

    if len(xs) == 4: first = xs[0]; return [first, nnx.scan(body)(jnp.zeros(2), xs)]


def held_together(net: Net, xs: jax.Array):
    def body(carry, x):
        return carry + net(x), x

    return [(
        nnx.scan(body)
        (jnp.zeros(2), xs)
    )]


def over_both(net: Net, xs: jax.Array):
    def body(carry, x):
        return carry + net(x), x

    found = []
    for each in nnx.scan(body)(jnp.zeros(2), xs):
        found.append(each)
    return found
