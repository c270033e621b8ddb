import jax
from flax import nnx


class Normalizer(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)

    def __call__(self, x: jax.Array, get_info: bool = False):
        return self.linear(x)


class Net(nnx.Module):
    def __init__(self, normalizer: Normalizer):
        self.normalizer = normalizer

    def __call__(self, x: jax.Array, get_info: bool = False):
        return self.normalizer(x, get_info=get_info)
