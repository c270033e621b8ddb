"""Gradients of hidden activations: perturbed, differentiated and popped."""

import jax
import jax.numpy as jnp
import optax
from flax import nnx


class Block(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.norm = nnx.BatchNorm(2, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x: jax.Array):
        h = self.perturb("hidden", self.linear(x))
        return self.drop(self.norm(h))


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.blocks = nnx.List([Block(rngs.fork()) for _ in range(2)])
        self.head = nnx.Linear(2, 3, rngs=rngs)

    def __call__(self, x: jax.Array):
        for block in self.blocks:
            x = block(x)
        return self.perturb("logits", self.head(x))

    def scaled(self, x: jax.Array, scale: float = 1.0):
        return self(x) * scale


@nnx.jit
def train_step(model: Net, optimizer: nnx.Optimizer, x, y):
    model(x)  # makes the perturbations

    def loss_fn(model):
        y_pred = model(x)
        return jnp.mean((y_pred - y) ** 2)

    diff_state = nnx.DiffState(0, (nnx.Param, nnx.Perturbation))
    grads = nnx.grad(loss_fn, argnums=diff_state)(model)
    grads, activation_grads = nnx.state(grads, nnx.Param, nnx.Perturbation)
    optimizer.update(model, grads)
    nnx.pop(model, nnx.Perturbation)  # clean up
    return activation_grads


def saliency(model: Net, x, y):
    """Loss, and its gradients with respect to the activations alone."""

    def loss_fn(model: Net, inputs, targets):
        return jnp.mean((model.scaled(inputs, scale=2.0) - targets) ** 2)

    before = model.scaled(x, scale=2.0)
    grad_fn = nnx.value_and_grad(loss_fn, argnums=nnx.DiffState(0, nnx.Perturbation))
    loss, grads = grad_fn(model, x, y)
    norm = optax.global_norm(grads)
    nnx.pop(model, nnx.Perturbation)
    return before, loss, norm, grads["blocks"][0]["hidden"][...]


def both(model: Net, x, y):
    def loss_fn(net: Net, x):
        y_pred = net(x)
        return jnp.mean((y_pred - y) ** 2), y_pred

    _ = model(x)
    wrt = nnx.DiffState(0, nnx.Any(nnx.Param, nnx.Perturbation))
    (loss, y_pred), grads = nnx.value_and_grad(loss_fn, argnums=wrt, has_aux=True)(model, x)
    nnx.pop(model, nnx.Perturbation)
    logits = grads["logits"][...]
    return loss, y_pred, logits, nnx.to_pure_dict(nnx.state(grads, nnx.Param)), grads


def watched(x, y):
    """Nobody sees the model again."""
    model = Net(nnx.Rngs(2))
    _ = model(x)

    @nnx.grad(argnums=nnx.DiffState(argnum=0, filter=nnx.Any(nnx.Param, nnx.Perturbation)))
    def grad_loss(model, inputs, targets):
        return jnp.mean((model(inputs) - targets) ** 2)

    grads = grad_loss(model, x, y)
    logits = grads.logits.get_value()
    return logits, grads.blocks[1].hidden[...], nnx.state(model, nnx.BatchStat)


def run(x):
    model = Net(nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.sgd(0.1), wrt=nnx.Param)
    y = jnp.ones((3, 3))
    found = [train_step(model, optimizer, x + i, y) for i in range(2)]
    found.append(saliency(model, x, y))
    found.append(both(model, x, y))
    found.append(watched(x, y))

    other = Net(nnx.Rngs(1))
    other(x)
    wrt = nnx.DiffState(0, (nnx.Perturbation, nnx.Param))
    grads = nnx.grad(lambda m: jnp.sum(m(x)), argnums=wrt)(other)
    activation_grads, param_grads = nnx.state(grads, nnx.Perturbation, nnx.Param)
    nnx.pop(other, nnx.Perturbation)
    return found, activation_grads, param_grads, model, optimizer, other
