import threading

import jax
import jax.numpy as jnp
import optax
from flax import nnx


class Frozen(nnx.Variable):
    pass


class Dense(nnx.Module):
    """By default it holds Params alone, whatever else it can be asked for."""

    LOCK = threading.Lock()
    SCALE = jnp.sqrt(2.0)

    def __init__(
        self,
        din: int,
        dout: int,
        *,
        use_bias=True,
        scale=None,
        mask=None,
        shared=None,
        window=(1, 1),
        use_dropout=False,
        frozen=False,
        freeze=None,
        rngs: nnx.Rngs,
    ):
        if freeze is not None:
            frozen = bool(freeze)
        kind = Frozen if frozen else nnx.Param
        if shared is None:
            self.kernel = kind(jax.random.normal(rngs.params(), (din, dout)))
        else:
            self.kernel = jnp.asarray(shared)
        self.scale = None
        if scale is not None and scale is not False:
            self.scale = self.SCALE * scale
        if use_bias:
            self.bias = nnx.Param(jnp.zeros(dout))
        else:
            self.bias = None
        self.has_bias = use_bias and self.bias is not None
        self.mask = mask
        if isinstance(window, int):
            window = (window,)
        else:
            window = tuple(window)
        self.window = window + (din, dout)
        if use_dropout:
            self.drop = nnx.Dropout(0.5, rngs=rngs)
        else:
            self.drop = None

    def __call__(self, x: jax.Array):
        y = x @ self.kernel[...]
        if self.bias is not None:
            y += self.bias[...]
        return y if self.drop is None else self.drop(y)


class MLP(nnx.Module):
    def __init__(self, hidden: int, noisy: bool = False, *, rngs: nnx.Rngs):
        self.first = Dense(2, hidden, use_dropout=noisy, rngs=rngs)
        self.last = Dense(hidden, 1, use_bias=False, rngs=rngs)

    def __call__(self, x: jax.Array):
        return self.last(jnp.tanh(self.first(x)))


def loss_fn(model, x: jax.Array):
    return jnp.mean(model(x) ** 2)


def of_a_layer(x: jax.Array):
    layer = Dense(2, 3, rngs=nnx.Rngs(0))
    grads = nnx.grad(loss_fn)(layer, x)
    return grads.kernel[...], grads.bias[...]


def of_layers(x: jax.Array):
    model = MLP(4, rngs=nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.sgd(0.1), wrt=nnx.Param)
    loss, grads = nnx.value_and_grad(loss_fn)(model, x)
    optimizer.update(model, grads)
    return loss, model


def of_noisy_layers(x: jax.Array):
    noisy = MLP(4, True, rngs=nnx.Rngs(0))
    optimizer = nnx.Optimizer(noisy, optax.sgd(0.1), wrt=nnx.Param)
    loss, grads = nnx.value_and_grad(loss_fn)(noisy, x)
    optimizer.update(noisy, grads)
    return loss, noisy


def of_a_frozen_layer(x: jax.Array):
    layer = Dense(2, 3, freeze=True, rngs=nnx.Rngs(0))
    grads = nnx.grad(loss_fn)(layer, x)
    return len(jax.tree.leaves(grads)), grads.bias[...]


def of_a_shared_layer(x: jax.Array):
    layer = Dense(2, 3, shared=jnp.ones((2, 3)), rngs=nnx.Rngs(0))
    grads = nnx.grad(loss_fn)(layer, x)
    return len(jax.tree.leaves(grads)), grads.bias[...]
