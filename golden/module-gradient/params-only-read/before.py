import jax
import jax.numpy as jnp
import optax
from flax import nnx


class MLP(nnx.Module):
    """Linear layers only: every leaf is a Param."""

    def __init__(self, *, rngs: nnx.Rngs):
        self.layers = nnx.List([nnx.Linear(2, 2, rngs=rngs) for _ in range(3)])
        self.scale = nnx.Param(jnp.ones(2))

    def __call__(self, x: jax.Array):
        for layer in self.layers:
            x = jnp.tanh(layer(x))
        return x * self.scale[...]


def loss_fn(model: MLP, x: jax.Array):
    return jnp.mean(model(x) ** 2)


def first_gradient(model: MLP, x: jax.Array):
    grads = nnx.grad(loss_fn)(model, x)
    assert grads is not None
    assert grads.scale is not None
    return grads.layers[0].kernel[...], grads.scale.value


def test_gradients_flow():
    model = MLP(rngs=nnx.Rngs(0))

    @nnx.value_and_grad
    def loss_of(model):
        return jnp.sum(model(jnp.ones((1, 2))))

    loss, grads = loss_of(model)
    assert jnp.isfinite(grads.scale[...]).all()
    return loss


@nnx.jit
def train_step(model: MLP, optimizer: nnx.Optimizer, x: jax.Array):
    loss, grads = nnx.value_and_grad(loss_fn)(model, x)
    norm = optax.global_norm(grads)
    grads = jax.tree.map(lambda g: jnp.clip(g, -0.1, 0.1), grads)
    optimizer.update(model, grads)
    return loss, norm


def loss_alone(model: MLP, x: jax.Array):
    loss, _ = nnx.value_and_grad(loss_fn)(model, x)
    return loss
