"""Values that are sown and popped in one function, of which something is left or was there."""

import jax
import jax.numpy as jnp
from flax import nnx


class Balance(nnx.Variable):
    pass


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)

    def __call__(self, x: jax.Array):
        y = self.linear(x)
        self.sow(nnx.Intermediate, "hidden", y)
        return y


class Balanced(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)

    def __call__(self, x: jax.Array):
        y = self.linear(x)
        self.sow(nnx.Intermediate, "hidden", y)
        self.sow(Balance, "balance", jnp.var(x))
        return y


@nnx.jit
def _clean(model: Net, x: jax.Array):
    y = model(x)
    return y, jax.tree.leaves(nnx.pop(model, nnx.Intermediate))


@nnx.jit
def _in_turns(model: Net, x: jax.Array):
    y = model(x)
    return y, jax.tree.leaves(nnx.pop(model, nnx.Intermediate))


@nnx.jit
def _other_type(model: Balanced, x: jax.Array):
    y = model(x)
    return y, jax.tree.leaves(nnx.pop(model, nnx.Intermediate))


@nnx.jit
def _sown_again(model: Net, x: jax.Array):
    y = model(x)
    found = nnx.pop(model, nnx.Intermediate)
    return model(y), jax.tree.leaves(found)


@nnx.jit
def _popped_sometimes(model: Net, x: jax.Array):
    y = model(x)
    if x.shape[0] > 1:
        return y, []
    found = nnx.pop(model, nnx.Intermediate)
    return y, jax.tree.leaves(found)


@nnx.jit
def _popped_first(model: Net, x: jax.Array):
    return jax.tree.leaves(nnx.pop(model, nnx.Intermediate)), model(x)


def main(x: jax.Array):
    dirty = Net(nnx.Rngs(0))
    dirty(x)
    found = [_clean(dirty, x)]
    turns = Net(nnx.Rngs(0))
    for _ in range(2):
        found.append(_in_turns(turns, x))
        turns(x)
    other = Balanced(nnx.Rngs(1))
    found.append(_other_type(other, x))
    again = Net(nnx.Rngs(2))
    found.append(_sown_again(again, x))
    sometimes = Net(nnx.Rngs(3))
    found.append(_popped_sometimes(sometimes, x))
    first = Net(nnx.Rngs(4))
    found.append(_popped_first(first, x))
    return found, dirty, turns, other, again, sometimes, first
