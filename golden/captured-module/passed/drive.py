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


def noisy_gradient(net, rngs, x):
    noise = rngs.noise.normal(x.shape)
    graphdef, state = nnx.split(net.linear)
    return jax.grad(lambda s: jnp.sum(nnx.merge(graphdef, s)(x + noise) ** 2))(state)


def mapped(net, xs):
    net.calls[...] += 1
    return jnp.stack([net.linear(x) for x in xs])


def scanned(net, xs):
    carry, outputs = jnp.zeros(2), []
    for x in xs:
        outputs.append(carry)
        carry = net.linear(carry) + x
    return carry, jnp.stack(outputs)


def twice(net, x):
    return net(net(x))


# The name of a function of the program, what it is called with, and the same in plain Python.
CASES = [
    ("maybe", (YES, X), lambda net, flag, x: net(x)),
    ("maybe", (NO, X), lambda net, flag, x: x),
    ("chosen", (jnp.array(0), X), lambda net, i, x: net(x)),
    ("chosen", (jnp.array(1), X), lambda net, i, x: twice(net, x)),
    ("without_operands", (YES, X), lambda net, flag, x: x + net.calls[...]),
    ("without_operands", (NO, X), lambda net, flag, x: x + net(jnp.ones(2)).sum()),
    ("checkpointed", (X,), lambda net, x: net(x)),
    ("gradient", (X,), gradient),
    ("compiled", (X,), lambda net, x: net(x)),
    ("mapped", (XS,), mapped),
    ("mapped_columns", (XS.T, X), lambda net, xs, y: jnp.stack([net.linear(x) + y for x in xs.T], 1)),
    ("scanned", (XS,), scanned),
    ("threaded", (YES, X), lambda net, flag, x: twice(net, x)),
    ("called_with_it", (X,), twice),
    ("looped", (X,), twice),
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
    rngs, others = nnx.Rngs(3), nnx.Rngs(3)
    net = program.Net(nnx.Rngs(0))
    agree(program.noisy_gradient(net, rngs, X), noisy_gradient(net, others, X), "noisy")
    agree(nnx.state(rngs), nnx.state(others), "noise")
    return found, rngs
