import dataclasses

import jax
import jax.numpy as jnp
from flax import nnx


@dataclasses.dataclass
class Config:
    num_layers: int = 3
    param_scan_axis: int = 1
    width: int = 2


class Layer(nnx.Module):
    def __init__(self, width: int, rngs: nnx.Rngs):
        self.linear = nnx.Linear(width, width, rngs=rngs)
        self.norm = nnx.BatchNorm(width, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x: jax.Array):
        return self.drop(self.norm(self.linear(x)))


def create_layers(config: Config, rngs: nnx.Rngs) -> Layer:
    @nnx.split_rngs(splits=config.num_layers)
    def create(rngs: nnx.Rngs):
        @nnx.vmap(in_axes=0, out_axes=(None, config.param_scan_axis, 0))
        def create_of_state(rngs):
            return nnx.split(Layer(config.width, rngs), nnx.Param, ...)

        return nnx.merge(*create_of_state(rngs))

    return create(rngs)


def apply_layers(config: Config, layers: Layer, x: jax.Array):
    def body(x: jax.Array, params: nnx.State, rest: nnx.State):
        layer = nnx.merge(graphdef, params, rest)
        x = layer(x)
        return x, jnp.mean(x)

    # params are stacked on config.param_scan_axis, all the rest on 0
    graphdef, params, rest = nnx.split(layers, nnx.Param, ...)
    return nnx.scan(
        body,
        in_axes=(nnx.Carry, config.param_scan_axis, 0),
        out_axes=(nnx.Carry, 0),
        length=config.num_layers,
    )(x, params, rest)
