import jax
import jax.numpy as jnp
from flax import nnx


class Layer(nnx.Module):
  def __init__(self, rngs: nnx.Rngs):
    self.kernel = nnx.Param(
        jax.random.normal(rngs.params(), (2, 2)), out_sharding=("in", "out"), eager_sharding=False
    )
    self.mean = nnx.BatchStat(jnp.zeros((2,)))
    self.drop = nnx.Dropout(0.5, rngs=rngs)

  def __call__(self, x: jax.Array):
    assert self.kernel.out_sharding == ("in", "out"), self.kernel.out_sharding
    x = self.drop(jnp.tanh(x @ self.kernel[...]))
    self.mean[...] += jnp.mean(x, axis=0)
    return x


class Stack(nnx.Module):
  def __init__(self, n: int, *, rngs: nnx.Rngs):
    @nnx.split_rngs(splits=n)
    @nnx.vmap
    @nnx.transform_metadata(partition="layers")
    def create(rngs: nnx.Rngs):
      return Layer(rngs)

    self.layers = create(rngs)

  def __call__(self, x: jax.Array):
    @nnx.scan(
        in_axes=(nnx.Carry, 0),
        out_axes=(nnx.Carry, 0),
    )
    @nnx.transform_metadata(in_axes=(nnx.Carry, 0), out_axes=(nnx.Carry, 0), partition="layers")
    def body(x: jax.Array, layer: Layer):
      x = layer(x)
      return x, jnp.sum(x)

    return body(x, self.layers)
