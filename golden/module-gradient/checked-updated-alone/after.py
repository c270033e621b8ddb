"""A model of whatever class is asked for: only the optimizer's update shows that it is a Module."""

import jax.numpy as jnp
import optax
from flax import nnx


def squared_error(model, batch):
    out = model(batch["x"], training=True)
    return jnp.mean((out - batch["y"]) ** 2), out


def train_step(model, optimizer: nnx.ModelAndOptimizer, batch):
    def squared_error_of_state(params, nondiff, batch):
        model = nnx.merge(graphdef, params, nondiff)
        result = squared_error(model, batch)
        if nnx.split(model, nnx.Param, ...) != (graphdef, params, nondiff):
            raise ValueError("model must keep its structure")
        return result

    grad_fn = nnx.value_and_grad(squared_error_of_state, has_aux=True)
    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)
    (loss, out), grads = grad_fn(params, nondiff, batch)
    optimizer.update(grads)
    return loss, out


def train(make, batches):
    model = make(rngs=nnx.Rngs(0))
    optimizer = nnx.ModelAndOptimizer(model, optax.sgd(0.1), wrt=nnx.Param)
    return [train_step(model, optimizer, batch) for batch in batches], nnx.state(model, nnx.Param)
