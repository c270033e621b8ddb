"""Abstract models under a mesh, of classes whose constructors call those above them."""

import jax
from flax import nnx


class Config:
    pass


class Sizes(Config):
    def __init__(self, width: int):
        super().__init__()
        self.width = width


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        super().__init__()
        init = nnx.with_partitioning(nnx.initializers.lecun_normal(), (None, "x"))
        self.linear = nnx.Linear(2, Sizes(4).width, kernel_init=init, rngs=rngs)


class Deep(Net):
    def __init__(self, rngs: nnx.Rngs):
        super().__init__(rngs)
        self.out = nnx.Linear(4, 2, rngs=rngs)


class Counted:
    def __init__(self):
        super().__init__()
        _, state = nnx.split(nnx.Linear(2, 2, rngs=nnx.Rngs(0)))
        self.count = len(state)


class First(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        super().__init__()  # of Counted, where that stands behind it
        self.linear = nnx.Linear(2, 2, rngs=rngs)


class Both(First, Counted):
    pass


def described(model: nnx.Module):
    return [(leaf.shape, str(leaf.sharding)) for leaf in jax.tree.leaves(nnx.state(model))]


def deep():
    return nnx.compat.eval_shape(lambda: Deep(nnx.Rngs(0)))


def both():
    return nnx.compat.eval_shape(lambda: Both(nnx.Rngs(0)))


def main():
    mesh = jax.make_mesh((1,), ("x",), axis_types=(jax.sharding.AxisType.Auto,))
    with jax.set_mesh(mesh):
        return described(deep()), described(both()), both().count
