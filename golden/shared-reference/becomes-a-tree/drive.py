import jax.numpy as jnp
from flax import nnx


def drive(program):
    counter, net = program.Counter(), program.Net(nnx.Rngs(0))
    x = jnp.ones((3, 2))
    pair = program.Pair(nnx.Linear(2, 2, rngs=nnx.Rngs(1)), nnx.Linear(2, 2, rngs=nnx.Rngs(2)))
    headed = [program.Headed(tied, nnx.Rngs(3)) for tied in (True, False)]
    ordinary = program.nothing_of_that(program.Ordinary(nnx.Rngs(0)))
    found = [program.count(counter, x), program.forward(net, x), program.weighted(pair, x)]
    found += [program.forward(each, x) for each in headed]
    found += [program.forward(each.start(), x) for each in headed]
    paths = [".".join(map(str, path)) for path, _ in nnx.to_flat_state(nnx.state(net, graph=True))]
    kinds = [type(net.layers), type(net.heads)]
    return found, program.optimizer_of(net).step, counter.seen[...], ordinary, paths, kinds
