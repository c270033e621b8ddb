import jax
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.norm = nnx.BatchNorm(2, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x):
        return self.drop(self.norm(self.linear(x)))


def with_defaults(model: Net, x: jax.Array, weight: float = 0.5, reduce: str = "mean"):
    value = (model(x) - weight) ** 2
    return jnp.mean(value) if reduce == "mean" else jnp.sum(value)


def with_star(model: Net, *batches):
    """Sum of the losses of all batches."""
    return sum(jnp.mean(model(x) ** 2) for x in batches)


def step(model: Net, x):
    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)

    def with_defaults_of_state(params, nondiff, x):
        return with_defaults(nnx.merge(graphdef, params, nondiff), x)

    first = nnx.grad(with_defaults_of_state)(params, nondiff, x)
    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)

    def with_defaults_of_state(params, nondiff, x, reduce):
        return with_defaults(nnx.merge(graphdef, params, nondiff), x, reduce=reduce)

    second = nnx.grad(with_defaults_of_state)(params, nondiff, x, reduce="sum")
    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)

    def with_defaults_of_state(params, nondiff, x, weight, reduce):
        return with_defaults(nnx.merge(graphdef, params, nondiff), x, weight, reduce)

    third = nnx.grad(with_defaults_of_state)(params, nondiff, x, 2.0, "sum")
    return first, second, third


def star_step(model: Net, batches):
    def regularized(model: Net, *batches, scale=1e-2):
        decay = sum(jnp.sum(p ** 2) for p in jax.tree.leaves(nnx.state(model, nnx.Param)))
        return with_star(model, *batches) + scale * decay

    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)

    def with_star_of_state(params, nondiff, *args):
        return with_star(nnx.merge(graphdef, params, nondiff), *args)

    value, grads = nnx.value_and_grad(with_star_of_state)(params, nondiff, *batches)
    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)

    def loss_fn(params, nondiff, *batches):
        model = nnx.merge(graphdef, params, nondiff)
        return regularized(model, *batches)

    more = nnx.grad(loss_fn)(params, nondiff, *batches)
    return value, grads, more
