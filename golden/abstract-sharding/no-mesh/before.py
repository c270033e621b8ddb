"""An abstract model that only its shapes are wanted of."""

import jax
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 4, rngs=rngs)


def shapes():
    abstract = nnx.eval_shape(lambda: Net(nnx.Rngs(0)))
    return [leaf.shape for leaf in jax.tree.leaves(nnx.state(abstract))]
