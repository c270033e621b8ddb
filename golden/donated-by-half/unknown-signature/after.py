"""Jits whatever step it is given."""

import jax
import jax.numpy as jnp
from flax import nnx


class Adapted(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.base = nnx.Linear(2, 3, rngs=rngs)
        self.steps = nnx.Variable(jnp.array(0))

    def __call__(self, x: jax.Array):
        self.steps[...] += 1
        return self.base(x)


class Trainer:
    def __init__(self, step_fn, names=("model",)):
        self.step = nnx.compat.jit(
            nnx.set_graph_mode(True)(nnx.set_graph_updates(True)(step_fn)),
            donate_argnames=("model",),
        )
        self.other = nnx.compat.jit(
            nnx.set_graph_mode(True)(nnx.set_graph_updates(True)(step_fn)), donate_argnames=names
        )

    def run(self, model: Adapted, x: jax.Array):
        return [f(model, x) for f in (self.step, self.other, self.step)]
