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
        def scanned_fn(x, layer):
            return layer(x), nnx.clone(nnx.pop(layer, nnx.Intermediate))

        run = nnx.scan(scanned_fn, in_axes=(nnx.Carry, 0), out_axes=(nnx.Carry, 0))
        result, sown = run(x, self.layers)
        nnx.update(self.layers, sown)
        return result
