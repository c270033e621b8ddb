import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.norm = nnx.BatchNorm(2, rngs=rngs)

    def __call__(self, x):
        return self.norm(self.linear(x))


def drive(program):
    recorder, net = program.Recorder(nnx.Rngs(0)), Net(nnx.Rngs(1))
    x = jnp.arange(6.0).reshape(3, 2)
    seen = program.with_encoder(recorder, x), program.decorated(net, x)
    _, stats = program.with_state(net, x)
    return seen, stats, recorder, net
