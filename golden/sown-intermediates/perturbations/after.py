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
    _, perturbations = nnx.capture(model, nnx.Perturbation)(x)  # makes the perturbations

    def loss_fn(params, perturbations, nondiff):
        model = nnx.merge(graphdef, params, nondiff)
        y_pred = nnx.capture(model, init=perturbations)(x)
        return jnp.mean((y_pred - y) ** 2)

    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)
    grads, activation_grads = nnx.grad(loss_fn, argnums=(0, 1))(params, perturbations, nondiff)
    optimizer.update(model, grads)
    # clean up
    return activation_grads


def saliency(model: Net, x, y):
    """Loss, and its gradients with respect to the activations alone."""

    def loss_fn(model: Net, perturbations, inputs, targets):
        return jnp.mean(
            (nnx.capture(model.scaled, init=perturbations)(inputs, scale=2.0) - targets) ** 2
        )

    before, perturbations = nnx.capture(model.scaled, nnx.Perturbation)(x, scale=2.0)
    grad_fn = nnx.value_and_grad(loss_fn, argnums=1)
    loss, grads = grad_fn(model, perturbations, x, y)
    norm = optax.global_norm(grads)
    return before, loss, norm, grads["blocks"][0]["hidden"][...]


def both(model: Net, x, y):
    def loss_fn(params: nnx.State, perturbations, nondiff: nnx.State, x):
        net = nnx.merge(graphdef, params, nondiff)
        y_pred = nnx.capture(net, init=perturbations)(x)
        return jnp.mean((y_pred - y) ** 2), y_pred

    _, perturbations = nnx.capture(model, nnx.Perturbation)(x)
    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)
    (loss, y_pred), (grads, perturbation_grads) = nnx.value_and_grad(loss_fn, argnums=(0, 1), has_aux=True)(params, perturbations, nondiff, x)
    grads = nnx.merge_state(grads, perturbation_grads)
    logits = grads["logits"][...]
    return loss, y_pred, logits, nnx.to_pure_dict(nnx.state(grads, nnx.Param)), grads


def watched(x, y):
    """Nobody sees the model again."""
    model = Net(nnx.Rngs(2))
    _, perturbations = nnx.capture(model, nnx.Perturbation)(x)

    @nnx.grad(argnums=(0, 1))
    def grad_loss(params, perturbations, nondiff, inputs, targets):
        model = nnx.merge(graphdef, params, nondiff)
        return jnp.mean((nnx.capture(model, init=perturbations)(inputs) - targets) ** 2)

    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)
    grads, perturbation_grads = grad_loss(params, perturbations, nondiff, x, y)
    grads = nnx.merge_state(grads, perturbation_grads)
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
    _, perturbations = nnx.capture(other, nnx.Perturbation)(x)
    graphdef, params, nondiff = nnx.split(other, nnx.Param, ...)

    def loss_fn(params, perturbations, nondiff):
        m = nnx.merge(graphdef, params, nondiff)
        return jnp.sum(nnx.capture(m, init=perturbations)(x))

    param_grads, activation_grads = nnx.grad(loss_fn, argnums=(0, 1))(
        params, perturbations, nondiff
    )
    return found, activation_grads, param_grads, model, optimizer, other
