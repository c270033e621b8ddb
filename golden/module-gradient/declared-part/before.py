import jax
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 3, rngs=rngs)
        self.norm = nnx.BatchNorm(3, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x: jax.Array):
        return self.drop(self.norm(self.linear(x)))


class Policy(nnx.Module):
    """Wraps any Module; in this project, a Net."""

    net: nnx.Module

    def __init__(self, net: nnx.Module):
        self.net = net

    def __call__(self, x: jax.Array):
        return jax.nn.tanh(self.net(x))


def loss_fn(policy: Policy, x: jax.Array):
    return jnp.mean((policy(x) - 1.0) ** 2)


@nnx.jit
def train_step(policy: Policy, optimizer: nnx.Optimizer, x: jax.Array):
    loss, grads = nnx.value_and_grad(loss_fn)(policy, x)
    optimizer.update(policy, grads)
    return loss


def make_policy(seed: int):
    return Policy(Net(nnx.Rngs(seed)))
