"""Values that are sown under transforms, where to pop them inside would not be the same."""

import jax
import jax.numpy as jnp
from flax import nnx


class Loss(nnx.Variable):
    pass


class Cell(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)

    def __call__(self, x: jax.Array):
        x = jnp.tanh(self.linear(x))
        self.sow(nnx.Intermediate, "hidden", x)
        return x


class Counting(nnx.Module):
    """It has such a Variable from the start, which others may hold."""

    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.best = Loss(jnp.array(0.0))

    def __call__(self, x: jax.Array):
        x = self.linear(x)
        self.sow(Loss, "losses", jnp.sum(x))
        return x


def made_before(model: Counting, x: jax.Array):
    best = model.best
    y = nnx.compat.jit(lambda model, x: model(x))(model, x)
    return y, model.best is best


def bound_anew(cell: Cell, x: jax.Array):
    cell, y = nnx.compat.jit(
        nnx.set_graph_mode(True)(nnx.set_graph_updates(True)(lambda cell, x: (cell.linear, cell(x))))
    )(cell, x)
    return y


def on_both(first: Cell, second: Cell, x: jax.Array):
    y = nnx.compat.jit(lambda first, second, x: first(second(x)))(first, second, x)
    return y


def in_expression(cell: Cell, x: jax.Array):
    y = sum(nnx.compat.jit(lambda cell, x: cell(x))(cell, each) for each in (x, -x))
    return y


def made_for_it(x: jax.Array):
    y = nnx.compat.jit(lambda cell, x: cell(x))(Cell(nnx.Rngs(1)), x)
    return y


def other_axis(ensemble: Cell, x: jax.Array):
    y = nnx.compat.vmap(lambda cell, x: cell(x), in_axes=(0, None), out_axes=1)(ensemble, x)
    return y


def main(x: jax.Array):
    counting = Counting(nnx.Rngs(0))
    cell, other = Cell(nnx.Rngs(1)), Cell(nnx.Rngs(2))
    found = [made_before(counting, x), bound_anew(cell, x), on_both(cell, other, x)]
    found += [in_expression(cell, x), made_for_it(x)]
    ensemble = nnx.split_rngs(splits=3)(nnx.vmap(Cell))(nnx.Rngs(3))
    found.append(other_axis(ensemble, x))
    return found, counting, cell, other, ensemble
