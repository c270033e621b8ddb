"""Objects with tied weights, in lines that a pin would make too long."""

import jax
import jax.numpy as jnp
from flax import nnx


class Tied(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.encode = self.decode = nnx.Linear(2, 2, rngs=rngs)

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.decode(self.encode(x))


def checkpoint(step: int, models: dict[str, Tied]):
    return {
        "step": step,
        "states_of_all_models_here": {name: nnx.state(model) for name, model in models.items()},
        "names": sorted(models),
    }


def split(model: Tied):
    graph_definition, params_of_the_model, all_that_is_no_param = nnx.split(model, nnx.Param, ...)
    return params_of_the_model, all_that_is_no_param


def reported(report, model: Tied):
    return report(
        len(jax.tree.leaves(nnx.state(model, nnx.Param))), jnp.zeros(()), repr(type(model)), 1.0
    )


def kept(models: dict[str, Tied]):
    return {
        "state": {name: nnx.state(model) for name, model in models.items()},  # with its weights
        "a_name_that_is_as_long_as_the_line_already_is_without_anything_else": nnx.state(models["a"]),
    }
