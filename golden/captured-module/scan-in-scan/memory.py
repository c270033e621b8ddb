"""A driver like drive.py that measures: compiled temporary bytes of each step, by name."""

import jax
import jax.numpy as jnp
from flax import nnx

_WIDTH, _DEPTH, _STEPS = 200, 20, 3


def drive(program):
    found = {}
    for kind in (program.Tower, program.Rematerialised):
        tower = kind(_WIDTH, _DEPTH, nnx.Rngs(0))
        graphdef, state = nnx.split(tower)

        def forward(state, x, graphdef=graphdef):
            return program.repeat(nnx.merge(graphdef, state), x, _STEPS)

        def two_calls(state, x, graphdef=graphdef):
            return program.two_calls(nnx.merge(graphdef, state), x)

        def gradient(state, x, graphdef=graphdef):
            return program.input_gradient(nnx.merge(graphdef, state), x)

        found[f"{kind.__name__} params"] = sum(leaf.nbytes for leaf in jax.tree.leaves(state))
        found[f"{kind.__name__} forward"] = _temporary_bytes(forward, state)
        found[f"{kind.__name__} two calls"] = _temporary_bytes(two_calls, state)
        found[f"{kind.__name__} gradient"] = _temporary_bytes(gradient, state)
    return found


def _temporary_bytes(function, state):
    """None for what cannot be traced."""
    try:
        lowered = jax.jit(function).lower(state, jnp.ones(_WIDTH))
    except ValueError:
        return None
    return lowered.compile().memory_analysis().temp_size_in_bytes
