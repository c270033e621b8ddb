"""A layer with a backward pass of its own, in a training step."""

import jax
import jax.numpy as jnp
import optax
from flax import nnx


class Scale(nnx.Module):
    def __init__(self):
        self.w = nnx.Param(jnp.array([0.5, 1.5]))
        self.calls = nnx.BatchStat(jnp.array(0.0))


@nnx.custom_vjp
def wave(layer: Scale, x: jax.Array):
    layer.calls[...] += 1.0
    return jnp.sin(layer.w[...]) * x


def wave_fwd(layer: Scale, x: jax.Array):
    return wave(layer, x), (layer, x)


def wave_bwd(residuals, g):
    layer, x = residuals
    (updates_g, _), out_g = g
    layer_g = jax.tree.map(jnp.zeros_like, updates_g)
    layer_g["w"][...] = out_g * jnp.cos(layer.w[...]) * x * 0.5
    return layer_g, out_g * jnp.sin(layer.w[...])


wave.defvjp(wave_fwd, wave_bwd)


@nnx.jit
def train_step(layer: Scale, optimizer: nnx.Optimizer, x: jax.Array):
    def loss_fn(layer):
        return jnp.sum(wave(layer, x) ** 2)

    loss, grads = nnx.value_and_grad(loss_fn)(layer)
    optimizer.update(layer, grads)
    return loss


def run(x):
    layer = Scale()
    optimizer = nnx.Optimizer(layer, optax.sgd(0.1), wrt=nnx.Param)
    return [train_step(layer, optimizer, x) for _ in range(2)], layer
