import jax
import jax.numpy as jnp
from flax import nnx

X = jax.random.normal(jax.random.key(1), (2,))
XS = jax.random.normal(jax.random.key(2), (3, 2))


# The name of a function of the program, what it is called with, and the same in plain Python.
CASES = [
    ("checked", (jnp.ones(2),), lambda net, x: net(x)),
    ("checked_further_in", (jnp.ones(2),), lambda net, x: net.linear(x)),
    ("sharded", (XS,), lambda net, xs: net(xs) + net(xs)),
    ("parallel", (X[None],), lambda net, xs: net(xs)),
]


def agree(found, expected, name):
    for one, other in zip(jax.tree.leaves(found), jax.tree.leaves(expected), strict=True):
        if jax.dtypes.issubdtype(one.dtype, jax.dtypes.prng_key):
            one, other = jax.random.key_data(one), jax.random.key_data(other)
        assert jnp.allclose(one, other, rtol=1e-5, atol=1e-6), (name, one, other)


def drive(program):
    found = []
    for name, arguments, plain in CASES:
        net, other = program.Net(nnx.Rngs(0)), program.Net(nnx.Rngs(0))
        function = getattr(program, name, None) or getattr(program.Net, name)
        results = [function(net, *arguments) for _ in range(2)]
        expected = [plain(other, *arguments) for _ in range(2)]
        agree((results, nnx.state(net)), (expected, nnx.state(other)), name)
        found += [results, net]
    return found
