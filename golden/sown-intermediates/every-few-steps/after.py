"""Activations pile up on a model, and are taken off it now and then."""

import jax
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 3, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x: jax.Array):
        y = self.drop(self.linear(x))
        self.sow(nnx.Intermediate, "hidden", y)
        return nnx.relu(y)


@nnx.jit
def _forward_and_pop(model: Net, x: jax.Array):
    return model(x), nnx.clone(nnx.pop(model, nnx.Intermediate))


def forward(model: Net, x: jax.Array):
    result, sown = _forward_and_pop(model, x)
    nnx.update(model, sown)
    return result


def logged(batches, every: int):
    """The last ones are never looked at."""
    model = Net(nnx.Rngs(0))
    outputs, history = [], []
    for step, x in enumerate(batches):
        outputs.append(forward(model, x))
        if step % every == 0:
            sown = nnx.pop(model, nnx.Intermediate)
            history.append([jnp.mean(h) for h in sown["hidden"]])
    return outputs, history, nnx.state(model, nnx.Param)


def until(batches, limit: float):
    student = Net(nnx.Rngs(1))
    teacher = Net(nnx.Rngs(2))
    found = []
    for x in batches:
        try:
            y = forward(student, x)
        except TypeError:  # of a wrong shape
            nnx.pop(student, nnx.Intermediate)
            continue
        if jnp.sum(y) > limit:
            break
        forward(teacher, x)
        if jnp.sum(y) > 0:
            found.append(nnx.to_pure_dict(nnx.pop(teacher, nnx.Intermediate)))
    return found, nnx.pop(student, nnx.Intermediate)


def run(x: jax.Array):
    batches = [x, -x, x.T, x + 1, x * 2]
    return logged(batches[:2] + batches[3:], 2), until(batches, 1e3), until(batches, 1.0)
