"""Loops that only read what they capture, in many spellings: rewritten because it was asked for."""

import jax
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    """Layers that hold nothing but Params."""

    limit = 3

    def __init__(self, rngs: nnx.Rngs):
        self.first = nnx.Linear(2, 2, rngs=rngs)
        self.second = nnx.Linear(2, 2, rngs=rngs)

    def __call__(self, x: jax.Array):
        return jnp.tanh(self.second(self.first(x)))

    def unpacked(self, x: jax.Array):
        def body(carry):
            """One step."""
            i, x = carry  # two of them
            return i + 1, self(x)

        i, x = nnx.while_loop(lambda carry: carry[0] < self.limit, body, (0, x))
        return i, x

    def aliased(self, x: jax.Array):
        second = self.second

        def body(carry: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
            i, x = carry
            return (
                i + 1,
                second(self.first(x)),  # in this order
            )

        def check(carry):
            i, x = carry
            return i < 2

        out = nnx.while_loop(check, body, (0, x,))
        return out

    def whole(self, x: jax.Array):
        return nnx.fori_loop(0, 3, lambda i, x: self.first(x) + i, x)

    def whole_in_function(self, x: jax.Array):
        def body(i, carry):
            if i is None:
                return carry
            carry = carry if self.limit else x
            return self(carry)

        def step(i, carry: jax.Array) -> jax.Array:
            y = self(carry)
            return y * i

        x = nnx.fori_loop(0, 2, body, x)
        return nnx.fori_loop(lower=0, upper=2, body_fun=step, init_val=x) + 1.0


def by_keyword(net: Net, x: jax.Array):
    start = {"i": jnp.array(0), "x": x}

    def body(state):
        return {"i": state["i"] + 1, "x": net(state["x"])}

    result = nnx.while_loop(cond_fun=lambda s: s["i"] < 2, body_fun=body, init_val=start)
    return result["x"]


def elements(net: Net, x: jax.Array):
    def body(c):
        return c[0] + 1, net.second(c[-1])

    out = nnx.while_loop(lambda c: c[-2] < 3, body, (0, x))
    return out[-1], out[0], nnx.while_loop(lambda c: c[0] < 3, body_of_one, (0, x))[-1]


def body_of_one(c):
    return c[0] + 1, c[1]


def returned_by_name(net: Net, x: jax.Array):
    def body(i, carry):
        j, y = carry
        if net.limit == 3:
            result = (j + i, net(y))
            return result
        return carry

    def other(i, carry):
        (j, y) = carry

        def inner(z):
            return net.first(z)

        return j + i, [inner(row) for row in (y, y)][0]

    first = nnx.fori_loop(0, 2, body, (jnp.array(0), x))
    (j, y) = nnx.fori_loop(0, 2, other, first)
    last = nnx.fori_loop(0, 2, other_body(net), (j, y))
    return first, j, y, last


def other_body(net: Net):
    return lambda i, c: (c[0], net(c[1]))


def unused_and_shared(net: Net, other: nnx.Linear, x: jax.Array):
    _ = "taken"
    nnx.fori_loop(0, 2, lambda i, c: (c[0] + 1, net(c[1])), (0, x))
    i, y = nnx.fori_loop(0, 2, lambda i, c: (c[0] + 1, net(c[1])), (0, x))
    return _, i, y


def nested(net: Net, x: jax.Array):
    def outer(i, carry):
        count, x = carry
        x = nnx.fori_loop(0, 2, lambda j, x: net.first(x), x)
        return count + 1, x

    return nnx.fori_loop(0, 2, outer, (0, x))
