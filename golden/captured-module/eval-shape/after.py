"""Shapes of the outputs of models: of scanned layers, and of layers that update themselves."""

import jax
import jax.numpy as jnp
from flax import nnx


class Backbone(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.stem = nnx.Linear(4, 6, rngs=rngs)

        @nnx.split_rngs(splits=3)
        @nnx.vmap(in_axes=(0,), out_axes=0)
        def create(rngs: nnx.Rngs):
            return nnx.Linear(6, 6, rngs=rngs)

        self.layers = create(rngs)
        self.head = nnx.Linear(6, 2, rngs=rngs)

    def __call__(self, images: jax.Array) -> jax.Array:
        @nnx.scan(in_axes=(nnx.Carry, 0), out_axes=nnx.Carry)
        def forward(x: jax.Array, layer: nnx.Linear):
            return layer(x)

        return self.head(forward(self.stem(images), self.layers))


class Noisy(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.norm = nnx.BatchNorm(4, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x, scale):
        return self.drop(self.norm(x)) * scale


def shapes(model: Backbone, noisy: Noisy, batch: int):
    spec = jax.ShapeDtypeStruct((batch, 4), jnp.float32)
    first = nnx.eval_shape(lambda model, images: model(images), model, spec)
    second = nnx.eval_shape(
        lambda noisy, x, scale: noisy(x, scale),
        noisy,  # it draws keys
        spec,
        jax.ShapeDtypeStruct((), jnp.float32),
    )
    return first, second, nnx.eval_shape(lambda noisy, x, scale: noisy(x, scale), noisy, spec, spec), jax.eval_shape(
        model.head, jax.ShapeDtypeStruct((5, 6), jnp.float32)
    )


class Probe:
    def __init__(self, model: Backbone):
        self.model = model
        self.output = nnx.eval_shape(
            lambda model, images: model(images),
            self.model,
            jax.ShapeDtypeStruct((1, 4), jnp.float32),
        )
