import jax
import jax.numpy as jnp
from flax import nnx

X = jax.random.normal(jax.random.key(1), (2,))
XS = jax.random.normal(jax.random.key(2), (3, 2))
YES, NO = jnp.array(True), jnp.array(False)


def looped(net, x):
    x = net(net(x)) + 1
    return net(x)


def several(net, rngs, x):
    for _ in range(3):
        x = net(x) + rngs.noise.normal((2,))
    return jnp.array(3), x


def scanned(net, xs):
    x, outputs = jnp.zeros(2), []
    for y in xs:
        x = net(x)
        outputs.append(x + y)
    return x, jnp.stack(outputs)


def traced_inside(net, x):
    graphdef, state = nnx.split(net)

    def total(x, state):
        merged = nnx.merge(graphdef, state, copy=True)
        return merged(x).sum(), nnx.as_pure(nnx.state(merged))

    (value, state), grads = jax.value_and_grad(total, has_aux=True)(x, state)
    nnx.update(net, state)
    return value, grads


# The name of a function of the program, what it is called with, and the same in plain Python.
CASES = [
    ("looped", (X,), looped),
    ("deeper", (X,), lambda net, x: net(x) * 2.0 + net.calls[...]),
    ("chosen", (YES, X), lambda net, flag, x: net(x)),
    ("chosen", (NO, X), lambda net, flag, x: x),
    ("scanned", (XS,), scanned),
    ("traced_inside", (X,), traced_inside),
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
    net, other = program.Counter(), program.Counter()
    rngs, others = nnx.Rngs(3), nnx.Rngs(3)
    results = program.several(net, rngs, X)
    expected = several(other, others, X)
    agree((results, nnx.state((net, rngs))), (expected, nnx.state((other, others))), "several")
    return found, results, net, rngs
