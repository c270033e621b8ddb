import jax
import jax.numpy as jnp
from flax import nnx

X = jax.random.normal(jax.random.key(1), (2,))
XS = jax.random.normal(jax.random.key(2), (3, 2))
YES, NO = jnp.array(True), jnp.array(False)


def branches(net, flag, x):
    if flag:
        net.steps[...] += 1
        x = net.encoder(x)
    else:
        x = x * 2
    return x + net.encoder(x) + net.steps[...]


def mapped(net, xs):
    net.steps[...] += 1
    return net.encoder.linear(xs)


def gradient(net, x):
    net.steps[...] += 1
    net.encoder.calls[...] += 1
    return jax.value_and_grad(lambda x: net.encoder.linear(x).sum())(x)


def scanned(net, xs):
    x, outputs = jnp.zeros(2), []
    for y in xs:
        outputs.append(x + y)
        net.steps[...] += 1
        x = net.encoder(x)
    return x, jnp.stack(outputs)


def updated(model, x, steps):
    graphdef, state = nnx.split(model)
    total = jnp.array(0.0)
    for _ in range(steps):
        loss, grads = jax.value_and_grad(lambda s: jnp.sum(nnx.merge(graphdef, s)(x) ** 2))(state)
        state = jax.tree.map(lambda value, grad: value - 0.1 * grad, state, grads)
        total = total + loss
    nnx.update(model, state)
    return total


def train_beside(net, x):
    model = nnx.Linear(2, 2, rngs=nnx.Rngs(1))
    return updated(model, x, 1), model


# The name of a function of the program, what it is called with, and the same in plain Python.
CASES = [
    ("branches", (YES, X), branches),
    ("branches", (NO, X), branches),
    ("mapped", (XS,), mapped),
    ("gradient", (X,), gradient),
    ("scanned", (XS,), scanned),
    ("train", (X,), lambda net, x: (updated(net.encoder.linear, x, 3), jnp.array(3))),
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
    agree(program.train_beside(X), train_beside(None, X), "train_beside")
    return found, program.train_beside(X)
