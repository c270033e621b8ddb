"""Activations that are read where they lie on the model."""

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
        y = self.drop(nnx.relu(self.norm(self.linear(x))))
        self.sow(nnx.Intermediate, "activation", y)
        return y


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.blocks = nnx.List([Block(rngs.fork()) for _ in range(2)])
        self.head = nnx.Linear(2, 3, rngs=rngs)

    def __call__(self, x: jax.Array):
        for block in self.blocks:
            x = block(x)
        y = self.head(x)
        self.sow(nnx.Intermediate, "logits", y)
        return y


@nnx.jit
def _forward_and_pop(model: Net, x: jax.Array):
    return model(x), nnx.clone(nnx.pop(model, nnx.Intermediate))


def forward(model: Net, x: jax.Array):
    result, sown = _forward_and_pop(model, x)
    nnx.update(model, sown)
    return result


@nnx.jit
def _error_and_pop(model: Net, x, y):
    return jnp.mean((model(x) - y) ** 2), nnx.clone(nnx.pop(model, nnx.Intermediate))


def error(model: Net, x, y):
    result, sown = _error_and_pop(model, x, y)
    nnx.update(model, sown)
    return result


def activations(x):
    model = Net(nnx.Rngs(0))
    y = forward(model, x)
    state = nnx.state(model, nnx.Intermediate)
    return y, state, nnx.state(model, nnx.Param)


def filtered(x):
    """The whole state, of which one kind of Variable is kept."""
    model = Net(nnx.Rngs(4))
    y = forward(model, x)
    sown = nnx.state(model).filter(nnx.Intermediate)
    return y, jax.tree.map(jnp.mean, sown), nnx.state(model).filter(nnx.Param)


def by_attribute(x):
    model = Net(nnx.Rngs(1))
    model.eval()
    forward(model, x)
    first = model.blocks[0].activation[0]
    last = model.logits.get_value()[-1]
    print(nnx.state(model, nnx.Intermediate))
    return first, last, model.head.kernel[...], [jnp.std(h) for h in model.blocks[1].activation]


def watched(model: Net, x):
    """What is read first is popped in the end."""
    y = forward(model, x)
    norms = {"logits": jnp.linalg.norm(model.logits[0])}
    if y.shape[0] > 1:
        norms["first"] = jnp.linalg.norm(model.blocks[0].activation[0])
    nnx.pop(model, nnx.Intermediate)
    return norms


def trained(x):
    model = Net(nnx.Rngs(2))
    optimizer = nnx.Optimizer(model, optax.sgd(0.1), wrt=nnx.Param)

    def loss_fn(params: nnx.State, nondiff: nnx.State):
        model = nnx.merge(graphdef, params, nondiff)
        y = model(x)
        return jnp.mean(y**2), nnx.clone(nnx.pop(model, nnx.Intermediate))

    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)
    (loss, sown), grads = nnx.value_and_grad(loss_fn, has_aux=True)(params, nondiff)
    nnx.update(model, sown)
    optimizer.update(model, grads)
    logits = model.logits[0]
    return loss, logits, optimizer, nnx.state(model, nnx.Param, nnx.BatchStat)


def run(x):
    model = Net(nnx.Rngs(3))
    errors = []
    for i in range(2):
        errors.append(watched(model, x + i))
        errors.append((error(model, x, 1.0), nnx.pop(model, nnx.Intermediate)["logits"]))
    return activations(x), filtered(x), by_attribute(x), trained(x), errors, model
