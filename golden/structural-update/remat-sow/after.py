import jax
import jax.numpy as jnp
from flax import nnx


class Block(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)

    def __call__(self, x: jax.Array):
        y = jnp.tanh(self.linear(x))
        self.sow(nnx.Intermediate, "hidden", y)
        return y


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.block1 = Block(rngs)
        self.block2 = Block(rngs)

    def __call__(self, x: jax.Array):
        def fn(block, x):
            return block(x), nnx.clone(nnx.pop(block, nnx.Intermediate))

        _run_and_pop = nnx.remat(fn)

        def run(block, x):
            result, sown = _run_and_pop(block, x)
            nnx.update(block, sown)
            return result

        return run(self.block2, run(self.block1, x))


def hidden(model: Net, x):
    y = model(x)
    return y, nnx.to_pure_dict(nnx.pop(model, nnx.Intermediate))
