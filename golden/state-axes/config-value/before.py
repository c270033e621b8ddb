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
    state_axes = nnx.StateAxes({nnx.Param: config.param_scan_axis, ...: 0})

    @nnx.split_rngs(splits=config.num_layers)
    @nnx.vmap(in_axes=0, out_axes=state_axes)
    def create(rngs: nnx.Rngs):
        return Layer(config.width, rngs)

    return create(rngs)


def apply_layers(config: Config, layers: Layer, x: jax.Array):
    state_axes = nnx.StateAxes({nnx.Param: config.param_scan_axis, ...: 0})

    def body(x: jax.Array, layer: Layer):
        x = layer(x)
        return x, jnp.mean(x)

    # params are stacked on config.param_scan_axis, all the rest on 0
    return nnx.scan(
        body,
        in_axes=(nnx.Carry, state_axes),
        out_axes=(nnx.Carry, 0),
        length=config.num_layers,
    )(x, layers)
