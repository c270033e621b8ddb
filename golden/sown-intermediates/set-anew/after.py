"""A Module that sets an attribute to a new Variable in each call, which a loss pops."""

import jax
import jax.numpy as jnp
import optax
from flax import nnx


class Loss(nnx.Variable):
    pass


class Encoder(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(3, 4, rngs=rngs)
        self.rngs = rngs

    def __call__(self, x: jax.Array) -> jax.Array:
        mean, log_std = jnp.split(self.linear(x), 2, axis=-1)
        self.kl_loss = Loss(jnp.mean(jnp.exp(log_std) + mean**2 - log_std), tag="kl")
        return mean + jnp.exp(log_std) * jax.random.normal(self.rngs.noise(), mean.shape)


class VAE(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.encoder = Encoder(rngs)
        self.decoder = nnx.Linear(2, 3, rngs=rngs)

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.decoder(self.encoder(x))


@nnx.jit
def train_step(model: VAE, optimizer: nnx.Optimizer, x: jax.Array):
    def loss_fn(params: nnx.State, nondiff: nnx.State):
        model = nnx.merge(graphdef, params, nondiff)
        logits = model(x)
        losses = nnx.pop(model, Loss)
        return jnp.mean((logits - x) ** 2) + sum(jax.tree.leaves(losses), 0.0)

    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)
    loss, grads = nnx.value_and_grad(loss_fn)(params, nondiff)
    optimizer.update(model, grads)
    return loss


@nnx.jit
def _forward_and_pop(model: VAE, x: jax.Array) -> tuple[jax.Array, nnx.State]:
    return jax.nn.sigmoid(model(x)), nnx.clone(nnx.pop(model, Loss))


def forward(model: VAE, x: jax.Array) -> jax.Array:
    result, sown = _forward_and_pop(model, x)
    nnx.pop(model, Loss)  # new ones take their place
    nnx.update(model, sown)
    return result


def run(x: jax.Array):
    model = VAE(nnx.Rngs(0, noise=1))
    optimizer = nnx.Optimizer(model, optax.adam(1e-2), wrt=nnx.Param)
    losses = [train_step(model, optimizer, x) for _ in range(3)]
    first = forward(model, x)
    kept = model.encoder.kl_loss
    seen = nnx.state(model, Loss)
    second = forward(model, 2 * x)
    values = kept[...], jax.tree.leaves(seen), model.encoder.kl_loss[...], kept.tag, model.encoder.kl_loss.tag
    return losses, first, second, values, nnx.pop(model, Loss), model
