"""An abstract model made by a function that another one runs under its mesh."""

import jax
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        init = nnx.with_partitioning(nnx.initializers.lecun_normal(), (None, "x"))
        self.linear = nnx.Linear(2, 4, kernel_init=init, rngs=rngs)


def under_mesh(function):
    mesh = jax.make_mesh((1,), ("x",), axis_types=(jax.sharding.AxisType.Auto,))
    with jax.set_mesh(mesh):
        return function()


def abstract_net():
    return nnx.eval_shape(lambda: Net(nnx.Rngs(0)))


def placements():
    leaves = jax.tree.leaves(nnx.state(under_mesh(abstract_net)))
    return [(leaf.shape, str(leaf.sharding)) for leaf in leaves]
