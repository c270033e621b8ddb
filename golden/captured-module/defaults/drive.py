import jax
import jax.numpy as jnp
from flax import nnx

X = jax.random.normal(jax.random.key(1), (2,))
XS = jax.random.normal(jax.random.key(2), (3, 2))
YES = jnp.array(True)


def repeated(net, x):
    for _ in range(3):
        x = net(x) * 2.0
    return x


def decoded(net, x):
    for _ in range(3):
        x = net(x) * 0.5
    return x


def scaled(net, x):
    for _ in range(2):
        x = net(x) + net(x) * 3.0
    return x


def rolled(net, xs):
    x, outputs = jnp.zeros(2), []
    for y in xs:
        x = net(x) + y
        outputs.append(x * 2)
    return x, jnp.stack(outputs)


# The name of a function of the program, what it is called with, and the same in plain Python.
CASES = [
    ("repeated", (X,), repeated),
    ("decoded", (X,), decoded),
    ("chosen", (YES, X), lambda net, flag, x: net(x) * 2.0),
    ("saved", (X,), lambda net, x: net(x) * 2.0),
    ("scaled", (X,), scaled),
    ("forwarded", (X,), lambda net, x: (net(net(x) + 0.5) + 1.0) * 2.0),
    ("rolled", (XS,), rolled),
    ("summed", (X,), lambda net, x: (jnp.sum(net(x) ** 2) * 2.0, x.shape)),
]


def agree(found, expected, name):
    for one, other in zip(jax.tree.leaves(found), jax.tree.leaves(expected), strict=True):
        if jax.dtypes.issubdtype(getattr(one, "dtype", jnp.float32), jax.dtypes.prng_key):
            one, other = jax.random.key_data(one), jax.random.key_data(other)
        assert jnp.allclose(one, other, rtol=1e-5, atol=1e-6), (name, one, other)


def drive(program):
    found = []
    for name, arguments, plain in CASES:
        net, other = program.Net(nnx.Rngs(0)), program.Net(nnx.Rngs(0))
        results = [getattr(program, name)(net, *arguments) for _ in range(2)]
        expected = [plain(other, *arguments) for _ in range(2)]
        agree((results, nnx.state(net)), (expected, nnx.state(other)), name)
        found += [results, net]
    return found
