import jax
import jax.numpy as jnp
from flax import nnx

X = jax.random.normal(jax.random.key(1), (2,))
XS = jax.random.normal(jax.random.key(2), (3, 2))
YES, NO = jnp.array(True), jnp.array(False)


def gradient(net, x):
    graphdef, state = nnx.split(net)

    def loss(x, state):
        merged = nnx.merge(graphdef, state, copy=True)
        value = jnp.sum(merged(x) ** 2)
        return value, nnx.as_pure(nnx.state(merged))

    (value, state), grads = jax.value_and_grad(loss, has_aux=True)(x, state)
    nnx.update(net, state)
    return value, grads


def mapped(net, xs):
    """All are called with the same key."""
    return nnx.vmap(lambda net, x: net(x), in_axes=(None, 1), out_axes=1)(net, xs)


def rolled(net, xs):
    x, outputs = jnp.zeros(2), []
    for y in xs:
        x = net(x) + y
        outputs.append(x * 2)
    return x, jnp.stack(outputs)


# The name of a function of the program, what it is called with, and the same in plain Python.
CASES = [
    ("decoded", (X,), lambda net, x: net(net(net(x)))),
    ("repeated", (X,), lambda net, x: net(net(net(x)) + 1) + 2),
    ("chosen", (YES, X), lambda net, flag, x: net(x)),
    ("chosen", (NO, X), lambda net, flag, x: x),
    ("rolled", (XS,), rolled),
    ("mapped", (XS.T,), mapped),
    ("gradient", (X,), gradient),
    ("compiled", (X,), lambda net, x: net(x)),
    ("checkpointed", (X,), lambda net, x: net(x)),
    ("scaled", (X,), lambda net, x: net(x) * 2.0),
    ("scaled_twice", (YES, X), lambda net, flag, x: net(x) * 3.0),
    ("scaled_twice", (NO, X), lambda net, flag, x: net(x)),
    ("under_a_name", (X,), lambda net, x: net(x) * 2.0 + (net(net(x)) + 1)),
    ("closed_over", (XS,), lambda net, xs: 2.0 * mapped(net, xs.T).T),
    ("called", (X,), lambda net, x: x + net(x)),
    ("read", (X,), lambda net, x: (x, net.linear(x))),
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
