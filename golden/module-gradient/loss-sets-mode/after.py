import jax.numpy as jnp
import optax
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 3, rngs=rngs)
        self.norm = nnx.BatchNorm(3, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x):
        return self.drop(self.norm(self.linear(x)))


def train_step(model: Net, optimizer: nnx.Optimizer, x):
    @nnx.set_graph_mode(True)
    @nnx.set_graph_updates(True)
    def loss_fn(model: Net):
        model.train()  # and it stays in training mode after the step
        return jnp.mean((model(x) - 1.0) ** 2)

    loss, grads = nnx.compat.value_and_grad(loss_fn)(model)
    optimizer.update(model, grads)
    return loss


def evaluate(model: Net, x):
    return model(x)
