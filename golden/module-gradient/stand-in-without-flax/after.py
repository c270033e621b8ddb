import dataclasses

import jax
import jax.numpy as jnp

try:
    import optax
    from flax import nnx
except ImportError:

    class nnx:
        """Stands in where the package is used without Flax."""

        class Module:
            pass


@dataclasses.dataclass(frozen=True)
class Plan:
    sizes: tuple[int, ...]

    def grow(self, size: int) -> None:
        object.__setattr__(self, "sizes", (*self.sizes, size))

    def with_one_more(self) -> "Plan":
        plan = Plan(self.sizes)
        plan.grow(self.sizes[-1])
        return plan


def normalized(activation):
    scale = float(jnp.mean(activation(jnp.arange(3.0)) ** 2)) ** 0.5
    if abs(scale - 1) < 1e-5:
        return activation

    def scaled(x):
        return activation(x) / scale

    return scaled


class Net(nnx.Module):
    def __init__(self, activation, rngs):
        self.plan = Plan((2,))
        self.activation = normalized(activation)
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.dropout = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.dropout(self.activation(self.linear(x))) * len(self.plan.with_one_more().sizes)


def by_name(activations, name, x):
    return normalized(activations[name])(x)


def make() -> tuple[Net, nnx.Optimizer]:
    net = Net(jnp.tanh, rngs=nnx.Rngs(0))
    return net, nnx.Optimizer(net, optax.sgd(0.1), wrt=nnx.Param)


@nnx.jit
def train_step(model: Net, optimizer: nnx.Optimizer, x: jax.Array) -> jax.Array:
    def loss_fn(params: nnx.State, nondiff: nnx.State) -> jax.Array:
        model = nnx.merge(graphdef, params, nondiff)
        return jnp.mean(model(x) ** 2)

    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)
    loss, grads = nnx.value_and_grad(loss_fn)(params, nondiff)
    optimizer.update(model, grads)
    return loss
