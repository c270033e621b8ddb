import jax
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 3, rngs=rngs)
        self.norm = nnx.BatchNorm(3, use_running_average=True, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x: jax.Array):
        return self.drop(self.norm(self.linear(x)))


@nnx.split_rngs(splits=4)
def per_example(model: Net, x: jax.Array):
    graphdef, rng_state, rest = nnx.split(model, nnx.RngState, ...)

    @nnx.vmap(in_axes=(0, None, 0))  # another mask for each example
    def per_example_of_state(rng_state, rest, x):
        model = nnx.merge(graphdef, rng_state, rest)
        return model(x)

    return per_example_of_state(rng_state, rest, x)


@nnx.jit
def loss(model: Net, xs: jax.Array):
    @nnx.split_rngs(splits=4, only="dropout")
    def run(model: Net, x):
        graphdef, dropout_state, rest = nnx.split(model, "dropout", ...)

        @nnx.vmap(in_axes=(0, None, 0))
        def run_of_state(dropout_state, rest, x):
            model = nnx.merge(graphdef, dropout_state, rest)
            return model(x)

        return run_of_state(dropout_state, rest, x)

    return jnp.mean(run(model, xs))
