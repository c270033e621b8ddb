import jax
import jax.numpy as jnp
import optax
from flax import nnx


class Classifier(nnx.Module):
    """Two layers, dropout between them."""

    def __init__(self, features, classes, rngs):
        self.encoder = nnx.Linear(features, 4, rngs=rngs)
        self.drop = nnx.Dropout(rate=0.3, rngs=rngs)
        self.head = nnx.Linear(4, classes, rngs=rngs)

    def __call__(self, x):
        return self.head(self.drop(nnx.gelu(self.encoder(x))))


def train_step(model, optimizer, images, labels):
    def loss_fn(params, nondiff):
        model = nnx.merge(graphdef, params, nondiff)
        logits = model(images)
        return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()

    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)
    grads = nnx.grad(loss_fn)(params, nondiff)
    optimizer.update(model, grads)
    return grads


def main(steps):
    model = Classifier(3, 2, rngs=nnx.Rngs(0, dropout=1))
    optimizer = nnx.Optimizer(model, optax.sgd(0.1, momentum=0.9), wrt=nnx.Param)
    images = jnp.linspace(-1.0, 1.0, 12).reshape(4, 3)
    labels = jnp.array([0, 1, 1, 0])
    history = []
    for step in range(steps):
        history.append(train_step(model, optimizer, images, labels))
    return model, optimizer, history
