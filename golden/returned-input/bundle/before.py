import jax
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 3, rngs=rngs)
        self.steps = nnx.Variable(jnp.array(0))


@nnx.jit
def tick(bundle: dict[str, Net]):
    for model in bundle.values():
        model.steps[...] += 1
    return bundle


@nnx.jit
def kernels(models: list[Net]):
    return [model.linear.kernel for model in models]


def run(a: Net, b: Net):
    bundle = tick({"a": a, "b": b})
    return [kernel[...] for kernel in kernels([a, bundle["b"]])], bundle["a"] is a
