import jax
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 3, rngs=rngs)

    def __call__(self, x: jax.Array):
        y = self.linear(x)
        self.sow(nnx.Intermediate, "hidden", y)
        return y


@nnx.jit
def _left_there_and_pop(model: Net, x: jax.Array):
    return model(x), nnx.clone(nnx.pop(model, nnx.Intermediate))


def left_there(model: Net, x: jax.Array):
    result, sown = _left_there_and_pop(model, x)
    nnx.update(model, sown)
    return result


@nnx.jit
def _handed_on_and_pop(model: Net, x: jax.Array):
    return model(x), nnx.clone(nnx.pop(model, nnx.Intermediate))


def handed_on(model: Net, x: jax.Array):
    result, sown = _handed_on_and_pop(model, x)
    nnx.update(model, sown)
    return result


@nnx.jit
def _replaced_and_pop(model: Net, x: jax.Array):
    return model(x), nnx.clone(nnx.pop(model, nnx.Intermediate))


def replaced(model: Net, x: jax.Array):
    result, sown = _replaced_and_pop(model, x)
    nnx.update(model, sown)
    return result


@nnx.jit
def _sown_before_and_pop(model: Net, x: jax.Array):
    return model(x), nnx.clone(nnx.pop(model, nnx.Intermediate))


def sown_before(model: Net, x: jax.Array):
    result, sown = _sown_before_and_pop(model, x)
    nnx.update(model, sown)
    return result
