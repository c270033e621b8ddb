"""A loss that runs its model several times, popped once after the gradient."""

import jax
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.scale = nnx.Param(jnp.arange(1.0, 3.0))
        self.noise = rngs.noise.fork()

    def __call__(self, x: jax.Array):
        self.sow(nnx.Intermediate, "seen", x)
        return jnp.sin(self.scale[...] * x) + self.noise.normal(x.shape)

    def decode(self, code: jax.Array):
        self.sow(nnx.Intermediate, "code", code)
        return code * self.scale[...]


def contrasted(model: Net, x: jax.Array):
    def loss_fn(params, nondiff):
        model = nnx.merge(graphdef, params, nondiff)
        y, intermediates = nnx.capture(model, nnx.Intermediate)(x)
        y2, intermediates = nnx.capture(model, nnx.Intermediate, init=intermediates)(-x)
        return jnp.sum((y - y2) ** 2), intermediates  # both in one line

    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)
    (loss, intermediates), grads = nnx.value_and_grad(loss_fn, has_aux=True)(params, nondiff)
    return loss, grads, intermediates


def decoded(model: Net, x: jax.Array):
    def loss_fn(params, nondiff, x: jax.Array):
        model = nnx.merge(graphdef, params, nondiff)
        code, intermediates = nnx.capture(model, nnx.Intermediate)(x)
        restored, intermediates = nnx.capture(model.decode, nnx.Intermediate, init=intermediates)(code)
        return jnp.sum((restored - x) ** 2), (code, intermediates)

    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)
    (loss, (code, sown)), grads = nnx.value_and_grad(loss_fn, has_aux=True)(params, nondiff, x)
    return loss, code, grads, sown


def unrolled(model: Net, xs: list[jax.Array | None]):
    def loss_fn(params, nondiff):
        model = nnx.merge(graphdef, params, nondiff)
        total = jnp.array(0.0)
        intermediates = nnx.State({})
        for x in xs:
            if x is None:
                continue
            with jax.named_scope("step"):
                y, intermediates = nnx.capture(model, nnx.Intermediate, init=intermediates)(x)
                total += jnp.sum(y)
        return total, intermediates

    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)
    grads, intermediates = nnx.grad(loss_fn, has_aux=True)(params, nondiff)
    return grads, intermediates


def run(x: jax.Array):
    model = Net(nnx.Rngs(0))
    found = contrasted(model, x), decoded(model, x)
    return found, unrolled(model, [x, None, 2 * x]), unrolled(model, [None]), model
