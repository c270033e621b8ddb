import jax
import jax.numpy as jnp
from flax import nnx

X = jax.random.normal(jax.random.key(1), (2,))
XS = jax.random.normal(jax.random.key(2), (2, 3))
YES, NO = jnp.array(True), jnp.array(False)


def gradient(net, x):
    graphdef, state = nnx.split(net)

    def loss(x, state):
        merged = nnx.merge(graphdef, state, copy=True)
        y = merged(x)
        return jnp.sum(y**2), (y, nnx.as_pure(nnx.state(merged)))

    (value, (y, state)), grads = jax.value_and_grad(loss, has_aux=True)(x, state)
    nnx.update(net, state)
    return value, y, grads


def slope(net, x):
    graphdef, state = nnx.split(net)

    def total(x, state):
        merged = nnx.merge(graphdef, state, copy=True)
        return merged(x).sum(), nnx.as_pure(nnx.state(merged))

    grads, state = jax.grad(total, has_aux=True)(x, state)
    nnx.update(net, state)
    return grads


def repeated(net, x):
    for i in range(3):
        x = net(x) + i
    return x


def lost(net, x):
    return sum(nnx.clone(net)(x) for _ in range(3))


def one_by_one(net, xs):
    rows = [net(x) for x in xs]
    kernel = net.layers.blocks.kernel[0]
    return jnp.stack(rows), jnp.stack(rows) * 2, jnp.stack([kernel @ x for x in xs])


def only_read(net, x):
    linear = nnx.Linear(2, 2, rngs=nnx.Rngs(0))
    return linear(x), linear(x[None])


# The name of a function of the program, what it is called with, and the same in plain Python.
CASES = [
    ("compiled", (X,), lambda net, x: net(x)),
    ("repeated", (X,), repeated),
    ("compiled_in_part", (X,), lambda net, x: net(x) * 2),
    ("mapped", (XS,), lambda net, xs: jnp.stack([net.layers(x) for x in xs.T], 1)),
    ("gradient", (X,), gradient),
    ("slope", (X,), slope),
    ("checkpointed", (X,), lambda net, x: net(x) + net.layers(x)),
    ("chosen", (YES, X), lambda net, flag, x: net(x) + net.layers(x)),
    ("chosen", (NO, X), lambda net, flag, x: x + net.layers(x)),
    ("decoded", (X,), lambda net, x: net(net(net(x)))),
    ("threaded", (X,), lambda net, x: net(net(x))),
    ("one_by_one", (XS.T,), one_by_one),
    ("abstract", (X,), lambda net, x: ((2,), (2,))),
    ("traced", (X,), lambda net, x: 1),
    ("lost", (X,), lost),
    ("only_read", (X,), only_read),
]


def agree(found, expected, name):
    for one, other in zip(jax.tree.leaves(found), jax.tree.leaves(expected), strict=True):
        if not isinstance(one, jax.Array):
            assert one == other, (name, one, other)
            continue
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
    layers = program.Layers(nnx.Rngs(0))
    results = program.layer_by_layer(layers, XS.T)
    agree(results, jnp.stack([layers(x) for x in XS.T]), "layer_by_layer")
    return found, results, layers
