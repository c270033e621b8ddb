import jax
from flax import nnx


class Layer(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)

    def __call__(self, x: jax.Array):
        x = nnx.relu(self.linear(x))
        self.sow(nnx.Intermediate, "hidden", x)
        return x


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.layers = nnx.split_rngs(splits=3)(nnx.vmap(lambda rngs: Layer(rngs)))(rngs)

    def __call__(self, x: jax.Array):
        run = nnx.scan(lambda x, layer: layer(x), in_axes=(nnx.Carry, 0), out_axes=nnx.Carry)
        return run(x, self.layers)
