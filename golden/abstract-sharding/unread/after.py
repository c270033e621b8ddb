"""An abstract model of which only the sizes are read, in a program that sets a mesh."""

import jax
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        init = nnx.with_partitioning(nnx.initializers.lecun_normal(), (None, "x"))
        self.first = nnx.Linear(2, 4, kernel_init=init, rngs=rngs)
        self.second = nnx.Linear(4, 2, rngs=rngs)


def parameters():
    mesh = jax.make_mesh((1,), ("x",), axis_types=(jax.sharding.AxisType.Auto,))
    with jax.set_mesh(mesh):
        abstract = nnx.eval_shape(lambda: Net(nnx.Rngs(0)))
    leaves = jax.tree.leaves(nnx.state(abstract))
    return [(leaf.shape, leaf.size) for leaf in leaves]
