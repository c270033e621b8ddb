import jax
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.frozen = nnx.Linear(2, 3, rngs=rngs)
        self.steps = nnx.Variable(jnp.array(0))


@nnx.jit(donate_argnums=(0,), donate_argnames=("model",))
def step(model: Net, x: jax.Array):
    model.steps[...] += 1
    return model.frozen(x)


@nnx.jit(donate_argnums=0)
def by_number(model: Net, x: jax.Array):
    model.steps[...] += 1
    return model.frozen(x)


def run(model: Net, x):
    ys = [step(model, x), step(model=model, x=x)]
    return ys + [by_number(model, x) for _ in range(2)]
