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
    def loss_fn(params: nnx.State, nondiff: nnx.State):
        model = nnx.merge(graphdef, params, nondiff)
        return jnp.sum((model(x) - model(-x)) ** 2), nnx.clone(nnx.pop(model, nnx.Intermediate))  # both in one line

    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)
    (loss, sown), grads = nnx.value_and_grad(loss_fn, has_aux=True)(params, nondiff)
    nnx.update(model, sown)
    return loss, grads, nnx.pop(model, nnx.Intermediate)


def decoded(model: Net, x: jax.Array):
    def loss_fn(params: nnx.State, nondiff: nnx.State, x: jax.Array):
        model = nnx.merge(graphdef, params, nondiff)
        code = model(x)
        restored = model.decode(code)
        return jnp.sum((restored - x) ** 2), (code, nnx.clone(nnx.pop(model, nnx.Intermediate)))

    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)
    (loss, (code, sown_2)), grads = nnx.value_and_grad(loss_fn, has_aux=True)(params, nondiff, x)
    nnx.update(model, sown_2)
    sown = nnx.pop(model, nnx.Intermediate)
    return loss, code, grads, sown


def unrolled(model: Net, xs: list[jax.Array | None]):
    def loss_fn(params: nnx.State, nondiff: nnx.State):
        model = nnx.merge(graphdef, params, nondiff)
        total = jnp.array(0.0)
        for x in xs:
            if x is None:
                continue
            with jax.named_scope("step"):
                total += jnp.sum(model(x))
        return total, nnx.clone(nnx.pop(model, nnx.Intermediate))

    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)
    grads, sown = nnx.grad(loss_fn, has_aux=True)(params, nondiff)
    nnx.update(model, sown)
    return grads, nnx.pop(model, nnx.Intermediate)


def run(x: jax.Array):
    model = Net(nnx.Rngs(0))
    found = contrasted(model, x), decoded(model, x)
    return found, unrolled(model, [x, None, 2 * x]), unrolled(model, [None]), model
