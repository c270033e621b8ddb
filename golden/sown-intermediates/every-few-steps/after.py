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
def forward(model: Net, intermediates: nnx.State, x: jax.Array):
    return nnx.capture(model, nnx.Intermediate, init=intermediates)(x)


def logged(batches, every: int):
    """The last ones are never looked at."""
    model = Net(nnx.Rngs(0))
    outputs, history = [], []
    model_intermediates = nnx.State({})
    for step, x in enumerate(batches):
        outputs_2, model_intermediates = forward(model, model_intermediates, x)
        outputs.append(outputs_2)
        if step % every == 0:
            sown, model_intermediates = model_intermediates, nnx.State({})
            history.append([jnp.mean(h) for h in sown["hidden"]])
    return outputs, history, nnx.state(model, nnx.Param)


def until(batches, limit: float):
    student = Net(nnx.Rngs(1))
    teacher = Net(nnx.Rngs(2))
    found = []
    teacher_intermediates = nnx.State({})
    student_intermediates = nnx.State({})
    for x in batches:
        try:
            y, student_intermediates = forward(student, student_intermediates, x)
        except TypeError:  # of a wrong shape
            student_intermediates = nnx.State({})
            continue
        if jnp.sum(y) > limit:
            break
        _, teacher_intermediates = forward(teacher, teacher_intermediates, x)
        if jnp.sum(y) > 0:
            intermediates, teacher_intermediates = teacher_intermediates, nnx.State({})
            found.append(nnx.to_pure_dict(intermediates))
    return found, student_intermediates


def run(x: jax.Array):
    batches = [x, -x, x.T, x + 1, x * 2]
    return logged(batches[:2] + batches[3:], 2), until(batches, 1e3), until(batches, 1.0)
