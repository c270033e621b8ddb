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
    def body(loop_carry, x):
        carry, net = loop_carry
        return (carry + net(x), net), x

    return nnx.scan(body)((jnp.zeros(2), net), xs)[1].sum()


def given_whole(net: Net, xs: jax.Array):
    def body(loop_carry, x):
        carry, net = loop_carry
        return (carry + net(x), net), x

    (last_carry, _), outputs = nnx.scan(body)((jnp.zeros(2), net), xs)
    return jax.tree.map(lambda a: a.sum(), (last_carry, outputs))  # both sums


def unpacked(net: Net, xs: jax.Array):
    def body(loop_carry, x):
        carry, net = loop_carry
        return (carry + net(x), net), x * carry

    (last_carry, _), outputs = nnx.scan(body)((jnp.zeros(2), net), xs)
    return jnp.stack([*(last_carry, outputs)][1])


def on_several_lines(net: Net, xs: jax.Array):
    def body(loop_carry, x):
        carry, net = loop_carry
        return (carry + net(x), net), x

    total = 0.5
    (last_carry, _), outputs = nnx.scan(body)(
                (jnp.zeros(2), net),  # begin
                xs,
            )
    total += sum(
        # the carry and the outputs
        map(
            jnp.sum,
            (last_carry, outputs),  # end
        )
    )
    return total


def carry_last(net: Net, xs: jax.Array):
    @nnx.scan(in_axes=(nnx.Carry, 0), out_axes=(0, nnx.Carry))
    def body(loop_carry, x):
        carry, net = loop_carry
        return x, (carry + net(x), net)

    outputs, (last_carry, _) = body((jnp.zeros(2), net), xs)
    return {"both": ((outputs, last_carry))}


def of_jax(net: Net, xs: jax.Array):
    def body(loop_carry, x):
        carry, net = loop_carry
        return (carry + net(x), net), x

    (last_carry, _), outputs = nnx.scan(body)((jnp.zeros(2), net), xs)
    return dict(zip(("carry", "outputs"), (last_carry, outputs)))


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
    def body(loop_carry, x):
        carry, net = loop_carry
        return (carry + net(x), net), x

    if len(xs) == 4: first = xs[0]; (last_carry, _), outputs = nnx.scan(body)((jnp.zeros(2), net), xs); return [first, (last_carry, outputs)]


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
