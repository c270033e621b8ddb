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
    def fn(cell, x):
        return cell(x), nnx.clone(nnx.pop(cell, nnx.Intermediate))

    result, sown = nnx.jit(fn)(cell, x)
    nnx.update(cell, sown)
    return result


def thrown_away(cell: Cell, x: jax.Array):
    def fn(cell, x):
        return cell(x), nnx.clone(nnx.pop(cell, nnx.Intermediate))

    _, sown = nnx.jit(fn)(cell, x)
    nnx.update(cell, sown)


def of_its_own_type(cell: Measured, x: jax.Array):
    def fn(cell, x):
        return cell(x), nnx.clone(nnx.pop(cell, nnx.Intermediate))

    y, sown = nnx.remat(fn)(cell, x)
    nnx.update(cell, sown)
    return y


def defined(cell: Cell, x: jax.Array):
    def twice(cell, x):
        y = cell(x)
        return (cell(y), y), nnx.clone(nnx.pop(cell, nnx.Intermediate))

    (y, z), sown = nnx.jit(twice)(cell, x)
    nnx.update(cell, sown)
    return y + z


def with_outputs(cell: Cell, x: jax.Array):
    def scanned_fn(cell, x):
        graphdef, intermediates, rest = nnx.split(cell, nnx.Intermediate, ...)

        @nnx.scan(in_axes=(0, nnx.Carry), out_axes=(nnx.Carry, 0), length=3)
        def scanned_fn_of_state(intermediates, carry):
            x, rest = carry
            cell = nnx.merge(graphdef, intermediates, rest)
            return (cell(x), rest), (jnp.sum(x), nnx.clone(nnx.pop(cell, nnx.Intermediate)))

        (final_carry, *_), outputs = scanned_fn_of_state(intermediates, (x, rest))
        return final_carry, outputs

    x, (norms, sown) = scanned_fn(cell, x)
    nnx.update(cell, sown)
    return x, norms


def many(cell: Cell, xs: jax.Array):
    def vmapped_fn(cell, x):
        graphdef, mapped, rest = nnx.split(cell, (nnx.RngState, nnx.Intermediate), ...)

        @nnx.vmap(in_axes=(0, None, 0))
        def vmapped_fn_of_state(mapped, rest, x):
            cell = nnx.merge(graphdef, mapped, rest)
            return cell(x), nnx.clone(nnx.pop(cell, nnx.Intermediate))

        return vmapped_fn_of_state(mapped, rest, x)

    ys, sown = nnx.split_rngs(splits=3)(
        vmapped_fn,
    )(cell, xs)
    nnx.update(cell, sown)
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
