"""Numbers and strings that are split, flattened and compared together with Modules."""

import jax
from flax import nnx


def describe(model: nnx.Linear, depth: int):
    graphdef, state = nnx.compat.split((model, depth, "encoder"))
    return len(jax.tree.leaves(state)), hash(graphdef) == hash(nnx.compat.graphdef((model, depth + 1, "encoder")))


def checkpoint(model: nnx.Linear, step: int):
    bundle = {"model": model, "step": step}
    return sorted(nnx.compat.state(bundle))


class Run:
    def __init__(self, rngs: nnx.Rngs):
        self.parts = [nnx.Linear(2, 2, rngs=rngs), 7]

    def leaves(self):
        return len(jax.tree.leaves(nnx.compat.flatten(self.parts)[1]))


def nested(model: nnx.Linear):
    return len(
        jax.tree.leaves(nnx.compat.split({"model": model, "sizes": {"depth": 2, "none": None}})[1])
    )
