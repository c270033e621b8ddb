import jax.numpy as jnp
from flax import nnx


def layers(cls, name):
    make = nnx.transform_metadata(cls, partition=name)
    return nnx.vmap(make)(nnx.Rngs(0).fork(split=2))


def drive(program):
    x = jnp.ones((1, 3))
    models = [layers(program.Block, name) for name in ("member", "layers", "member")]
    model, stacked, known = models
    outputs = program.ensemble(model, x), program.stack(x, stacked), program.blocks(known, x)
    return outputs, models, [each.kernel.out_sharding for each in models]
