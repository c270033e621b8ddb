"""Pins in f-strings that print their own source text: what they print stays."""

import jax
from flax import nnx


class Tied(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.one = self.two = nnx.Linear(2, 2, rngs=rngs)


def told(tied: Tied):
    first = f"{len(jax.tree.leaves(nnx.state(tied)))=}, {tied.one is tied.two = }"
    second = f"{  (len(jax.tree.leaves(nnx.state(tied, nnx.Param)))) = :>6} {{kept}}"
    third = f"{ {'n': len(jax.tree.leaves(nnx.state(tied)))} = !s} and {len(nnx.state(tied)) == 2}"
    return first, second, third, f'''{
        sorted(nnx.state(tied))
        =
    }'''
