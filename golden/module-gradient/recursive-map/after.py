"""A model in which a function has replaced layers by others."""

import jax
import jax.numpy as jnp
import optax
from flax import nnx


def make_model(rngs: nnx.Rngs):
    return nnx.Sequential(
        nnx.Linear(2, 8, rngs=rngs), nnx.Dropout(0.5, rngs=rngs), nnx.Linear(8, 1, rngs=rngs)
    )


def adapted(model, rngs: nnx.Rngs):
    def add_lora(path, node):
        if isinstance(node, nnx.Linear):
            return nnx.LoRA(
                node.in_features, 2, node.out_features, base_module=node, rngs=rngs
            )
        return node

    return nnx.recursive_map(add_lora, model)


def loss_fn(model, x, y):
    return jnp.mean((model(x) - y) ** 2)


@nnx.jit
def train_step(model, optimizer, x, y):
    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)

    def loss_fn_of_state(params, nondiff, x, y):
        model = nnx.merge(graphdef, params, nondiff)
        loss = loss_fn(model, x, y)
        if nnx.split(model, nnx.Param, ...) != (graphdef, params, nondiff):
            raise ValueError("model must keep its structure")
        return loss

    loss, grads = nnx.value_and_grad(loss_fn_of_state)(params, nondiff, x, y)
    optimizer.update(model, grads)
    return loss


def fit():
    model = adapted(make_model(nnx.Rngs(0)), nnx.Rngs(1))
    optimizer = nnx.Optimizer(model, optax.adam(1e-2), wrt=nnx.Param)
    x = jnp.arange(6.0).reshape(3, 2)
    return [train_step(model, optimizer, x, jnp.ones((3, 1))) for _ in range(3)], model
