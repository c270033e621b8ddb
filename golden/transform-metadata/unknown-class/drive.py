import jax.numpy as jnp
from flax import nnx


def layers(cls, name):
    make = nnx.transform_metadata(cls, partition=name)
    return nnx.vmap(make)(nnx.Rngs(0).fork(split=2))


def drive(program):
    class Sower(program.Block):
        def __call__(self, x):
            self.sow(nnx.Intermediate, "seen", x)  # nobody told the program that it does
            return super().__call__(x)

    x = jnp.ones((1, 3))
    model, stacked, known = layers(Sower, "member"), layers(Sower, "layers"), layers(program.Block, "member")
    outputs = program.ensemble(model, x), program.stack(x, stacked), program.blocks(known, x)
    sown = [nnx.to_pure_dict(nnx.pop(each, nnx.Intermediate)) for each in (model, stacked)]
    return outputs, sown, model, stacked, known, known.kernel.out_sharding
