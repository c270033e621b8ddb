"""Values that are sown under transforms and read somewhere else, in all forms of the call."""

import jax
import jax.numpy as jnp
from flax import nnx


class Norm(nnx.Intermediate):
    pass


class Cell(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.drop = nnx.Dropout(0.3, rngs=rngs)

    def __call__(self, x: jax.Array):
        x = jnp.tanh(self.drop(self.linear(x)))
        self.sow(nnx.Intermediate, "hidden", x)
        return x


class Measured(Cell):
    def __call__(self, x: jax.Array):
        x = super().__call__(x)
        self.sow(Norm, "norm", jnp.sum(x**2))
        return x


def returned(cell: Cell, x: jax.Array):
    return nnx.jit(lambda cell, x: cell(x))(cell, x)


def thrown_away(cell: Cell, x: jax.Array):
    nnx.jit(lambda cell, x: cell(x))(cell, x)


def of_its_own_type(cell: Measured, x: jax.Array):
    y = nnx.remat(lambda cell, x: cell(x))(cell, x)
    return y


def defined(cell: Cell, x: jax.Array):
    def twice(cell, x):
        y = cell(x)
        return cell(y), y

    y, z = nnx.jit(twice)(cell, x)
    return y + z


def with_outputs(cell: Cell, x: jax.Array):
    axes = nnx.StateAxes({nnx.Intermediate: 0, ...: nnx.Carry})
    x, norms = nnx.scan(
        lambda cell, x: (cell(x), jnp.sum(x)),
        in_axes=(axes, nnx.Carry),
        out_axes=(nnx.Carry, 0),
        length=3,
    )(cell, x)
    return x, norms


def many(cell: Cell, xs: jax.Array):
    axes = nnx.StateAxes({nnx.RngState: 0, nnx.Intermediate: 0, ...: None})
    ys = nnx.split_rngs(splits=3)(
        nnx.vmap(lambda cell, x: cell(x), in_axes=(axes, 0)),
    )(cell, xs)
    return ys


def main(xs: jax.Array):
    cell = Cell(nnx.Rngs(0))
    found = []
    for run in (returned, thrown_away, with_outputs):
        run(cell, xs[0])
        run(cell, xs[1])  # what lies there already is kept
        found.append(nnx.pop(cell, nnx.Intermediate))
    defined(cell, xs[0])
    found.append(nnx.pop(cell, nnx.Intermediate))
    many(cell, xs)
    many(cell, xs)
    found.append(nnx.pop(cell, nnx.Intermediate))
    measured = Measured(nnx.Rngs(1))
    of_its_own_type(measured, xs[0])
    found.append(nnx.pop(measured, Norm, nnx.Intermediate))
    return found, cell, measured
