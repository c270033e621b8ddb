import jax
import jax.numpy as jnp
import optax
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.layer = nnx.Linear(2, 3, rngs=rngs)
        self.norm = nnx.BatchNorm(3, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x: jax.Array):
        return self.drop(self.norm(self.layer(x)))


def loss_fn(model: Net, x: jax.Array):
    return jnp.mean((model(x) - 1.0) ** 2)


def sgd(model: Net, x, lr=0.1):
    """Plain gradient descent on the State."""
    model_graphdef, model_params, model_nondiff = nnx.split(model, nnx.Param, ...)

    def loss_fn_of_state(model_params, model_nondiff, x):
        return loss_fn(nnx.merge(model_graphdef, model_params, model_nondiff), x)

    grads = nnx.grad(loss_fn_of_state)(model_params, model_nondiff, x)
    params = nnx.state(model, nnx.Param)
    params = jax.tree.map(lambda p, g: p - lr * g, params, grads)
    nnx.update(model, params)
    return optax.global_norm(grads)


def inspect(model: Net, x):
    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)

    def loss_fn_of_state(params, nondiff, x):
        return loss_fn(nnx.merge(graphdef, params, nondiff), x)

    grads = nnx.grad(loss_fn_of_state)(params, nondiff, x)
    kernel = grads["layer"]["kernel"]  # a Param inside a State
    names = ["/".join(map(str, path)) for path, _ in nnx.to_flat_state(grads)]
    assert isinstance(grads, nnx.State)
    return kernel, names, grads.layer.bias[...], nnx.to_pure_dict(grads), sorted(grads.keys())


def accumulate(model: Net, batches):
    total = jax.tree.map(jnp.zeros_like, nnx.state(model, nnx.Param))
    for x in batches:
        graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)

        def loss_fn_of_state(params, nondiff, x):
            return loss_fn(nnx.merge(graphdef, params, nondiff), x)

        grads = nnx.grad(loss_fn_of_state)(params, nondiff, x)
        total = jax.tree.map(jnp.add, total, grads)
    return total


def gradients(model: Net, x) -> nnx.State:
    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)

    def loss_fn_of_state(params, nondiff, x):
        return loss_fn(nnx.merge(graphdef, params, nondiff), x)

    return nnx.grad(loss_fn_of_state)(params, nondiff, x)
