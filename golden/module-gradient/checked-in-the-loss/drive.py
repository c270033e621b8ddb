import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 3, rngs=rngs)
        self.calls = nnx.BatchStat(jnp.zeros(()))

    def __call__(self, x):
        self.calls[...] += 1
        return self.linear(x)


def drive(program):
    model = Net(nnx.Rngs(0))
    x = jnp.arange(6.0).reshape(3, 2)
    found = [program.with_a_name(model, x), program.named_result(model, x)]
    found += [program.bound_anew(model, x), program.on_one_line(model, x)]
    found += [program.ends_twice(model, x, early) for early in (True, False)]
    more = program.with_more_arguments(model, jnp.abs, x, jnp.ones((3, 3)), jnp.ones((3, 3)))
    return found, more, model
