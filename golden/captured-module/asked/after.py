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
            i, x, self = carry  # two of them
            return i + 1, self(x), self

        i, x, _ = nnx.while_loop(lambda carry: carry[0] < carry[2].limit, body, (0, x, self))
        return i, x

    def aliased(self, x: jax.Array):
        second = self.second

        def body(carry):
            i, x, self = carry
            second = self.second
            return (
                i + 1,
                second(self.first(x)),  # in this order
                self,
            )

        def check(carry):
            i, x, _ = carry
            return i < 2

        out = nnx.while_loop(check, body, (0, x, self,))[:2]
        return out

    def whole(self, x: jax.Array):
        def body(i, carry):
            x, self = carry
            return self.first(x) + i, self

        return nnx.fori_loop(0, 3, body, (x, self))[0]

    def whole_in_function(self, x: jax.Array):
        def body(i, loop_carry):
            carry, self = loop_carry
            if i is None:
                return carry, self
            carry = carry if self.limit else x
            return self(carry), self

        def step(i, loop_carry):
            carry, self = loop_carry
            y = self(carry)
            return y * i, self

        x, _ = nnx.fori_loop(0, 2, body, (x, self))
        return nnx.fori_loop(lower=0, upper=2, body_fun=step, init_val=(x, self))[0] + 1.0


def by_keyword(net: Net, x: jax.Array):
    start = {"i": jnp.array(0), "x": x}

    def body(carry):
        state, net = carry
        return {"i": state["i"] + 1, "x": net(state["x"])}, net

    result, _ = nnx.while_loop(
        cond_fun=lambda carry: carry[0]["i"] < 2, body_fun=body, init_val=(start, net)
    )
    return result["x"]


def elements(net: Net, x: jax.Array):
    def body(c):
        net = c[2]
        return c[0] + 1, net.second(c[1]), net

    out = nnx.while_loop(lambda c: c[0] < 3, body, (0, x, net))
    return out[1], out[0], nnx.while_loop(lambda c: c[0] < 3, body_of_one, (0, x))[-1]


def body_of_one(c):
    return c[0] + 1, c[1]


def returned_by_name(net: Net, x: jax.Array):
    def body(i, loop_carry):
        carry, net = loop_carry
        j, y = carry
        if net.limit == 3:
            result = (j + i, net(y))
            return result, net
        return carry, net

    def other(i, loop_carry):
        carry, net = loop_carry
        (j, y) = carry

        def inner(z):
            return net.first(z)

        return (j + i, [inner(row) for row in (y, y)][0]), net

    first, _ = nnx.fori_loop(0, 2, body, ((jnp.array(0), x), net))
    (j, y) = nnx.fori_loop(0, 2, other, (first, net))[0]
    last = nnx.fori_loop(0, 2, other_body(net), (j, y))
    return first, j, y, last


def other_body(net: Net):
    return lambda i, c: (c[0], net(c[1]))


def unused_and_shared(net: Net, other: nnx.Linear, x: jax.Array):
    _ = "taken"
    nnx.fori_loop(0, 2, lambda i, c: (c[0] + 1, c[2](c[1]), c[2]), (0, x, net))
    i, y = nnx.fori_loop(0, 2, lambda i, c: (c[0] + 1, c[2](c[1]), c[2]), (0, x, net))[:2]
    return _, i, y


def nested(net: Net, x: jax.Array):
    def outer(i, carry):
        count, x, net = carry

        def body(j, loop_carry):
            x, net = loop_carry
            return net.first(x), net

        x, _ = nnx.fori_loop(0, 2, body, (x, net))
        return count + 1, x, net

    return nnx.fori_loop(0, 2, outer, (0, x, net))[:2]
