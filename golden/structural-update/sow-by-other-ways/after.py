"""Values that are sown by a mixin, by other names of the method, or reached by a lambda."""

import functools

import jax
import jax.numpy as jnp
from flax import nnx


class Notes:
    """No Module, but a base class of one."""

    def note(self, x: jax.Array):
        self.sow(nnx.Intermediate, "seen", x)


class ByMixin(nnx.Module, Notes):
    def __call__(self, x: jax.Array):
        self.note(x)
        return x


class ByName(nnx.Module):
    def __call__(self, x: jax.Array):
        put = self.sow
        put(nnx.Intermediate, "seen", x)
        return x


class ByPartial(nnx.Module):
    def __call__(self, x: jax.Array):
        put = functools.partial(getattr(self, "sow"), nnx.Intermediate)
        put("seen", x)
        return x


class ByClass(nnx.Module):
    def __call__(self, x: jax.Array):
        nnx.Module.sow(self, nnx.Intermediate, "seen", x)
        return x


class Rematerialized(nnx.Module):
    def __init__(self):
        self.layer = ByMixin()
        self.run = nnx.compat.remat(
            nnx.set_graph_mode(True)(nnx.set_graph_updates(True)(lambda layer, x: layer(x)))
        )

    def __call__(self, x: jax.Array):
        return self.run(self.layer, x)


@nnx.jit
def _with_mixin_and_pop(model: ByMixin, x: jax.Array):
    return model(x), nnx.clone(nnx.pop(model, nnx.Intermediate))


def with_mixin(model: ByMixin, x: jax.Array):
    result, sown = _with_mixin_and_pop(model, x)
    nnx.update(model, sown)
    return result


@nnx.compat.jit
def with_name(model: ByName, x: jax.Array):
    return model(x)


@nnx.compat.jit
def with_partial(model: ByPartial, x: jax.Array):
    return model(x)


@nnx.compat.jit
def with_class(model: ByClass, x: jax.Array):
    return model(x)


STEPS = {"plain": nnx.compat.jit(
    nnx.set_graph_mode(True)(nnx.set_graph_updates(True)(lambda model, x: model(x)))
)}


def sown(step, model: nnx.Module):
    return step(model, jnp.ones(2)), nnx.pop(model, nnx.Intermediate)


def run():
    model = ByMixin()
    output = STEPS["plain"](model, jnp.ones(2))
    return (
        sown(with_mixin, ByMixin()),
        sown(with_name, ByName()),
        sown(with_partial, ByPartial()),
        sown(with_class, ByClass()),
        sown(lambda model, x: model(x), Rematerialized()),
        (output, nnx.pop(model, nnx.Intermediate)),
    )
