import jax
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.calls = nnx.Variable(jnp.array(0))

    def __call__(self, x: jax.Array):
        self.calls[...] += 1
        return self.linear(x)


class Trainer:
    def build(self):
        self.net = Net(nnx.Rngs(0))

    def built_in_a_method(self, x: jax.Array):
        @nnx.jit
        def step(x):
            self.build()
            return self.net(x)

        return step(x)

    def set(self, x: jax.Array):
        @nnx.jit
        def step(x):
            self.net = Net(nnx.Rngs(1))
            return self.net(x)

        return step(x)


def appended(x: jax.Array):
    nets: list[Net] = []

    @nnx.jit
    def step(x):
        nets.append(Net(nnx.Rngs(2)))
        return nets[0](x)

    return step(x)


def replaced(x: jax.Array):
    nets = [Net(nnx.Rngs(3))]

    @nnx.jit
    def step(x):
        nets[0] = Net(nnx.Rngs(4))
        return nets[0](x)

    return step(x)


def copied(trainer: Trainer, x: jax.Array):
    trainer.net = Net(nnx.Rngs(5))

    @nnx.jit
    def step(x):
        net = nnx.clone(trainer.net)
        return net(x)

    return step(x)


def run(x: jax.Array):
    trainer = Trainer()
    found = [trainer.built_in_a_method(x), trainer.set(x), appended(x), replaced(x)]
    return found, copied(Trainer(), x)
