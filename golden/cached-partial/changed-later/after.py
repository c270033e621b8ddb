"""Objects that are changed after they were bound, or come back: what is bound are copies."""

import functools
import jax
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 3, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)
        self.calls = nnx.Variable(jnp.array(0))

    def __call__(self, x: jax.Array):
        self.calls[...] += 1
        return self.drop(self.linear(x))


@nnx.jit
def train_step(model: Net, x):
    return model(x).sum()


@nnx.jit
def _counted(model: Net, x):
    model(x)


def counted(model: Net, x):
    _counted(model, x)
    return model


def fit(seed: int, x):
    """The step goes on with dropout when the model is evaluated in between, as cached_partial has it."""
    model = Net(nnx.Rngs(seed))
    step = functools.partial(train_step, nnx.clone(model, variables=False))
    losses = [step(x)]
    model.eval()
    losses.append(model(x).sum())
    losses.append(step(x))
    return losses, model


def steps(model: Net, xs):
    step = functools.partial(train_step, model)  # nobody sees it again
    return [step(x) for x in xs]


def count(model: Net, x):
    bound = functools.partial(counted, nnx.clone(model, variables=False))
    first = bound(x)
    second = bound(x)
    return first is model, second is first, first.calls, model.calls


class Trainer:
    def __init__(self, model: Net):
        self.model = model
        self.step = functools.partial(train_step, nnx.clone(self.model, variables=False))
